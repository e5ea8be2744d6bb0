// JSON as data: what is stored and sent (`Json`), and what a tool handler sees (`Value`).

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** What a handler sees: like `Json`, but an integer beyond ±(2^53−1) is a bigint. Never stored in a message. */
export type Value = null | boolean | number | bigint | string | readonly Value[] | { readonly [key: string]: Value }
/** An object of values, as the arguments of a call are. */
export type ValueObject = { readonly [key: string]: Value }
