// The form of a gateway's config file: what the reader checks, and from that the JSON Schema that editors use.
import { isJsonObject } from '../json/parse.js'
import type { JsonObject } from '../json/types.js'

/** A reference to the environment, as a pattern. */
export const reference = '\\$\\{([A-Za-z_][A-Za-z0-9_]*)\\}'

/** Of one with a name of one letter. */
const shortestReference = 4

const above: JsonObject = { type: 'number', exclusiveMinimum: 0 }

const target: JsonObject = {
  type: 'object',
  description: 'A server that answers.',
  properties: {
    wire: {
      enum: ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini'],
      description: 'The wire the server speaks.',
    },
    profile: { type: 'string', description: 'The vendor on that wire, such as "groq"; the wire\'s own when left out.' },
    baseUrl: { type: 'string', description: "Where it listens; the vendor's own address when left out." },
    apiKey: { type: 'string', description: `Its key, best as a reference: "\${ANTHROPIC_API_KEY}".` },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    model: {
      type: 'string',
      minLength: 1,
      description: 'The model it is asked for; the one the client named when left out.',
    },
    weight: { ...above, description: 'Its share among the targets of the route; 1.' },
    retries: { type: 'integer', minimum: 0 },
    headersTimeoutMs: {
      ...above,
      description:
        'Until its answer begins, which one that is not streamed does when it is whole; 60,000, or the longer of the two below.',
    },
    idleTimeoutMs: { ...above, description: 'Between two pieces of its answer; 60,000.' },
    timeoutMs: { ...above, description: 'For the whole of a call; 600,000.' },
    maxBodyBytes: { ...above, description: 'How long its answer may be; 64 MiB.' },
  },
  required: ['wire'],
  additionalProperties: false,
}

const count: JsonObject = { type: 'integer', minimum: 1 }

/** What must hold once the references to the environment are filled in. */
export const filledSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'toolwire gateway',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    routes: {
      type: 'array',
      minItems: 1,
      description: 'Which names of models go where; the first that matches is taken.',
      items: {
        type: 'object',
        properties: {
          match: { type: 'string', minLength: 1, description: 'A name of a model; * stands for anything.' },
          targets: { type: 'array', minItems: 1, items: target },
          fallbacks: {
            type: 'array',
            items: target,
            description: 'Asked in turn when the target fails before it said anything.',
          },
        },
        required: ['match', 'targets'],
        additionalProperties: false,
      },
    },
    keys: {
      type: 'array',
      description: 'Who may ask. Without keys everybody who reaches the gateway.',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1 },
          key: { type: 'string', minLength: 8, description: 'What it sends; 8 characters at least.' },
          models: { type: 'array', items: { type: 'string' } },
          requestsPerMinute: count,
          tokensPerMinute: count,
          concurrency: count,
        },
        required: ['name', 'key'],
        additionalProperties: false,
      },
    },
    limits: {
      type: 'object',
      properties: {
        bodyBytes: count,
        bodyTimeoutMs: count,
        concurrency: count,
        storedConversations: count,
        storedBytes: count,
        messages: { ...count, description: 'Messages of a request that is translated; 10,000.' },
        callsPerTurn: { ...count, description: 'Calls in one turn, of a request or of an answer; 2,000.' },
        resultsPerTurn: { ...count, description: 'Results of one turn; 2,000.' },
        tools: { ...count, description: 'Tools of a request; 10,000.' },
        partsPerMessage: { ...count, description: 'Content parts of one message or result; 10,000.' },
      },
      additionalProperties: false,
    },
    redis: {
      type: 'string',
      pattern: '^rediss?://',
      description:
        'Where the limits of keys are counted when several gateways share them; needs ioredis and rate-limiter-flexible.',
    },
    strict: { type: 'boolean', description: 'Refuse requests that would lose something on the way.' },
    hosts: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names by which the gateway may be addressed, on any port; * for all.',
    },
    origins: {
      type: 'array',
      items: { type: 'string' },
      description: 'Web pages that may ask, such as https://app.example.',
    },
  },
  required: ['routes'],
  additionalProperties: false,
}

/** The JSON Schema of the config file. */
export const configSchema: JsonObject = withReferences(filledSchema)

/** The schema as the file is written: a text that is bound to something may hold a reference instead. */
function withReferences(schema: JsonObject): JsonObject {
  const { pattern, enum: values, minLength = 0 } = schema
  if (pattern === undefined && values === undefined && Number(minLength) <= shortestReference) return mapped(schema)
  const { description = '', ...bound } = schema
  return { description, anyOf: [bound, { type: 'string', pattern: reference }] }
}

function mapped(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isJsonObject(value) ? withReferences(value) : value]),
  )
}
