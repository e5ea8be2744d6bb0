// The form of a gateway's config file, as the JSON Schema that editors and the reader use alike.
import type { JsonObject } from '../json/types.js'

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
    weight: { type: 'number', exclusiveMinimum: 0, description: 'Its share among the targets of the route; 1.' },
    retries: { type: 'integer', minimum: 0 },
    timeoutMs: { type: 'number', exclusiveMinimum: 0 },
    idleTimeoutMs: { type: 'number', exclusiveMinimum: 0 },
  },
  required: ['wire'],
  additionalProperties: false,
}

const count: JsonObject = { type: 'integer', minimum: 1 }

/** The JSON Schema of the config file. */
export const configSchema: JsonObject = {
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
          key: { type: 'string', minLength: 8 },
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
      description: 'Hosts by which the gateway may be addressed; * for all.',
    },
    origins: { type: 'array', items: { type: 'string' }, description: 'Web pages that may ask.' },
  },
  required: ['routes'],
  additionalProperties: false,
}
