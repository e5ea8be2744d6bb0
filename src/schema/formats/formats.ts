// What a check of formats is. The formats themselves are a door of their own; see index.ts.

/** Whether a text is in the format of a name. Values that are not strings are never asked about. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>
