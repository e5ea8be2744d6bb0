// Hostile schemas made of many documents and references.
import type { JsonObject } from '../../src/json/types.js'
import { type HostileRow, many, nested } from './hostile-parts.js'

export const referenceRows: readonly HostileRow[] = [
  {
    title: 'a chain of 900 references',
    verdict: 'valid',
    schema: () => ({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        many(900, (index) => [`d${index}`, index < 899 ? { $ref: `#/$defs/d${index + 1}` } : {}]),
      ),
    }),
    value: () => 1,
  },
  {
    title: '560 documents in one schema, each referred to',
    verdict: 'valid',
    schema: () => ({
      $id: 'https://example.com/root',
      properties: Object.fromEntries(many(560, (index) => [`q${index}`, { $ref: `p${index}` }])),
      $defs: Object.fromEntries(many(560, (index) => [`d${index}`, { $id: `p${index}`, type: 'object' }])),
    }),
    value: () => ({ q559: {} }),
  },
  {
    title: '900 documents with the same URI',
    verdict: 'ref_unresolved',
    schema: () => ({
      $ref: 'https://example.com/same',
      $defs: Object.fromEntries(
        many(900, (index) => [`d${index}`, { $id: 'https://example.com/same', minLength: index }]),
      ),
    }),
    value: () => 1,
  },
  {
    title: 'documents nested 45 deep, each with a long relative URI',
    verdict: 'ref_unresolved',
    schema: () =>
      many(45, (index) => index).reduce<JsonObject>(
        (inner, index) => ({ $id: `${'x'.repeat(900)}${index}/`, $ref: `${'y'.repeat(900)}/../z`, allOf: [inner] }),
        {},
      ),
    value: () => 1,
  },
  {
    title: 'dynamic references through 300 documents',
    verdict: 'work',
    schema: () => ({
      $id: 'https://example.com/d0',
      $dynamicAnchor: 'here',
      items: { $ref: 'd1' },
      $defs: Object.fromEntries(
        many(300, (index) => [
          `d${index + 1}`,
          {
            $id: `d${index + 1}`,
            $dynamicAnchor: 'here',
            ...(index < 299 ? { allOf: [{ $ref: `d${index + 2}` }] } : { items: { $dynamicRef: '#here' } }),
          },
        ]),
      ),
    }),
    value: () => nested(100),
  },
]
