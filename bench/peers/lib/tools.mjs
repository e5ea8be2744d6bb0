// Neutral tool set given to every contender. `jsonSchema` is plain JSON Schema; `zod` the same contract in zod 4.
import { z } from 'zod'

const schema = (i) => ({
  type: 'object',
  properties: {
    city: { type: 'string', description: 'City name' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], description: 'Temperature unit' },
    days: { type: 'integer', minimum: 1, maximum: 14, description: `Days ahead ${i}` },
    tags: { type: 'array', items: { type: 'string' }, description: 'Free tags' },
    opts: {
      type: 'object',
      properties: { verbose: { type: 'boolean' }, limit: { type: 'number' } },
      required: ['verbose', 'limit'],
      additionalProperties: false,
    },
  },
  required: ['city', 'unit', 'days', 'tags', 'opts'],
  additionalProperties: false,
})
const zodSchema = (i) =>
  z.object({
    city: z.string().describe('City name'),
    unit: z.enum(['celsius', 'fahrenheit']).describe('Temperature unit'),
    days: z.number().int().min(1).max(14).describe(`Days ahead ${i}`),
    tags: z.array(z.string()).describe('Free tags'),
    opts: z.object({ verbose: z.boolean(), limit: z.number() }),
  })
export function makeTools(n) {
  return Array.from({ length: n }, (_, i) => ({
    name: `tool_${i}`,
    description: `Benchmark tool number ${i}. It looks something up and returns a small object.`,
    jsonSchema: schema(i),
    zod: zodSchema(i),
    execute: async () => ({ ok: true, value: i }),
  }))
}
export function bigTool() {
  return {
    name: 'write_file',
    description: 'Write a file',
    jsonSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        rows: { type: 'array', items: { type: 'object' } },
      },
      required: ['path', 'content'],
    },
    zod: z.object({ path: z.string(), content: z.string(), rows: z.array(z.any()).optional() }),
    execute: async () => ({ ok: true }),
  }
}
export const sampleArgs = {
  city: 'Paris',
  unit: 'celsius',
  days: 3,
  tags: ['x', 'y'],
  opts: { verbose: true, limit: 10 },
}
