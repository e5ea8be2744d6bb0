// Dynamic references: which schema they apply depends on the resources that a run has entered on its way.
// Only the outermost resource with a name counts, so that a scope holds each resource once and never grows beyond the document.
import { isJsonObject } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Context, Reference } from './context.js'
import type { SchemaDocument } from './document.js'
import { referencesOf } from './keywords.js'
import { spend } from './meter.js'
import type { Check, Node, Run } from './run.js'

type Scopes = Pick<Context, 'references' | 'enterScope'>

/** How the references of a document are followed. */
export function createScopes(document: SchemaDocument, node: Context['node']): Scopes {
  return document.isDynamic ? dynamicScopes(document, node) : staticScopes(document, node)
}

function staticScopes(document: SchemaDocument, node: Context['node']): Scopes {
  const referenceTo = (reference: string, from: JsonObject): Reference => {
    const target = node(document.find(reference, from)?.schema ?? false)
    return () => target
  }
  return {
    references: (schema) => referencesOf(document.read(schema)).map((reference) => referenceTo(reference, schema)),
    enterScope: (_schema, run) => run.scope,
  }
}

function dynamicScopes(document: SchemaDocument, node: Context['node']): Scopes {
  const referenceTo = (reference: string, from: JsonObject, isStatic: boolean): Reference => {
    const target = document.find(reference, from)
    const initial = node(target?.schema ?? false)
    const name = isStatic ? undefined : target?.dynamicAnchor
    if (name === undefined) return () => initial
    return (run) => outermost(name, run, node) ?? initial
  }
  return {
    references: (schema) => {
      const read = document.read(schema)
      return referencesOf(read).map((reference, index) =>
        referenceTo(reference, schema, index === 0 && read.$ref !== undefined),
      )
    },
    enterScope: (schema, run) => {
      const outer = run.scope
      if (!isJsonObject(schema)) return outer
      const resource = document.resourceOf(schema)
      spend(run, 1 + outer.length)
      if (!outer.includes(resource)) run.scope = [...outer, resource]
      return outer
    },
  }
}

function outermost(name: string, run: Run, node: Context['node']): Node | undefined {
  spend(run, run.scope.length)
  for (const { dynamicAnchors } of run.scope) {
    const schema = dynamicAnchors.get(name)
    if (schema !== undefined) return node(schema)
  }
  return undefined
}

/** Wraps the check of a schema so that it runs in the scope of the schema. */
export function inScope(schema: Json, check: Check, { enterScope }: Pick<Context, 'enterScope'>): Check {
  return (value, run) => {
    const outer = enterScope(schema, run)
    const fits = check(value, run)
    run.scope = outer
    return fits
  }
}
