// Every rule a schema can break, with its remedy, and the limits that keep checking cheap.

/** What to do about a broken rule. The ids appear as `detail.rule` of an `invalid_tool_spec` error. */
export const schemaRules = {
  schema_not_json:
    'give a JSON Schema object made of plain JSON values, or a Standard Schema (zod 4, valibot, arktype)',
  schema_too_large: 'split the tool, or describe large parts as plain objects and check them in the handler',
  schema_depth: 'flatten the parameters to at most 10 levels of properties',
  root_type: 'make the root {"type":"object","properties":{…}}: the arguments of a call are always one object',
  unknown_type: 'use string, number, integer, boolean, null, object or array',
  enum_values: 'list at least one allowed value, or remove the enum',
  properties_map: 'write properties as a map of names to schemas',
  subschema_kind: 'write a schema object, or true or false',
  keyword_value: 'correct the value of the keyword, or remove it',
  required_list: 'write required as a list of property names beside properties',
  required_unknown: 'add the name to properties, or remove it from required',
  ref_unresolved:
    'put what it refers to under $defs in the same schema and refer to it as "#/$defs/name", or add other documents with bundleSchema',
  dialect_unknown: 'remove $schema, or name draft 7, 2019-09 or 2020-12: the rules of another dialect would be guessed',
  ref_cycle: 'make the reference lead to a schema that says something by itself',
  pattern_unsupported:
    'rewrite it without look-around and back-references (patterns are matched in linear time), or check it in the handler',
  json_schema_missing:
    'use zod 4 or arktype 2.2 schemas as they are, wrap a valibot schema in toStandardJsonSchema of @valibot/to-json-schema, or give a JSON Schema',
  json_schema_failed:
    'replace the part that JSON cannot express (dates, bigints, custom types) by a string or number and convert it',
} as const
export type SchemaRule = keyof typeof schemaRules

export interface SchemaProblem {
  readonly rule: SchemaRule
  /** JSON Pointer into the schema. */
  readonly path: string
  /** What is wrong, as a clause: `the type "strin" is not a JSON Schema type`. */
  readonly message: string
}

/** Limits that keep the compilation and one check of a hostile schema or value far below 50 ms. */
export const schemaLimits = {
  /** JSON values in a schema, the characters of its keys and texts, and how deep it may nest as JSON. */
  nodes: 3_000,
  characters: 1_000_000,
  depth: 100,
  /** Levels of `properties` that a tool defined here may nest. */
  propertyLevels: 10,
  /** Characters of one reference. */
  reference: 1_000,
  /** Characters of one pattern, and what one of them and all of a schema together may weigh; see pattern.ts. */
  patternLength: 1_000,
  patternWeight: 500,
  patternsWeight: 400,
  /** Work units of one check; see meter.ts. */
  work: 50_000,
  /** Schemas visited within each other during a check. */
  visitDepth: 1_500,
  /** How deep a value may nest that is copied for a handler. */
  valueDepth: 512,
  /** Failures collected, and issues reported of them. */
  failures: 200,
  issues: 20,
} as const
