// Calls written in tags, one for each parameter. Their values have no types of their own: the tool's schema says whether `1` is a
// number. The trap: a value may hold what looks like a tag, so it ends only where the next parameter or the end of the call follows.
import { isJsonObject, parseBody } from '../../json/parse.js'
import { skipSpace } from '../../json/scan.js'
import type { Json, JsonObject } from '../../json/types.js'
import { type Block, type DeclaredTools, matchAt } from './text-call.js'

interface TagFormat {
  /** The tag that opens a call; its groups are `name` and, where tags have one, `prefix`. */
  readonly opens: RegExp
  /** The tag that opens a parameter; its groups are `key` and, where it says so, `kind`. */
  readonly parameter: RegExp
  /** How a parameter begins and ends, and how the call ends; `prefix` is the one of the opening tag. */
  readonly signs: (prefix: string) => { readonly begins: string; readonly ends: string; readonly closes: string }
}

const formats: readonly TagFormat[] = [
  {
    opens: /<function=(?<name>[^<>\s]+)>/y,
    parameter: /<parameter=(?<key>[^<>]+)>/y,
    signs: () => ({ begins: '<parameter=', ends: '</parameter>', closes: '</function>' }),
  },
  {
    opens: /<function name="(?<name>[^"<>]+)">/y,
    parameter: /<param name="(?<key>[^"<>]+)">/y,
    signs: () => ({ begins: '<param ', ends: '</param>', closes: '</function>' }),
  },
  {
    opens: /<(?<prefix>[^\s<>/"]{0,20}?)invoke name="(?<name>[^"<>]+)">/y,
    parameter: /<[^\s<>/"]{0,20}?parameter name="(?<key>[^"<>]+)"(?: string="(?<kind>true|false)")?>/y,
    signs: (prefix) => ({
      begins: `<${prefix}parameter `,
      ends: `</${prefix}parameter>`,
      closes: `</${prefix}invoke>`,
    }),
  },
  {
    opens: /<tool_call>\s*(?<name>[\w.-]+)\s*(?=<arg_key>|<\/tool_call>)/y,
    parameter: /<arg_key>(?<key>[^<>]+)<\/arg_key>\s*<arg_value>/y,
    signs: () => ({ begins: '<arg_key>', ends: '</arg_value>', closes: '</tool_call>' }),
  },
  {
    opens: /<\|open\|>call tool="(?<name>[^"]+)"[^<>]*<\|sep\|>/y,
    parameter: /<\|open\|>argument key="(?<key>[^"]+)" type="(?<kind>\w+)"<\|sep\|>/y,
    signs: () => ({ begins: '<|open|>argument', ends: '<|close|>argument<|sep|>', closes: '<|close|>call<|sep|>' }),
  },
]

/** Whether a call in tags opens at the index. */
export function opensTags(text: string, index: number): boolean {
  return formats.some(({ opens }) => matchAt(opens, text, index) !== undefined)
}

/** The call that opens at the index; nothing when it is not written to its end, or names no tool. */
export function taggedCall(text: string, index: number, tools: DeclaredTools): Block | undefined {
  for (const format of formats) {
    const opened = matchAt(format.opens, text, index)
    if (opened === undefined) continue
    const { name = '', prefix = '' } = opened.groups ?? {}
    const signs = format.signs(prefix)
    const members = new Map<string, string>()
    let at = skipSpace(text, index + opened[0].length)
    while (!text.startsWith(signs.closes, at)) {
      const parameter = matchAt(format.parameter, text, at)
      const { key = '', kind } = parameter?.groups ?? {}
      const from = at + (parameter?.[0].length ?? 0)
      const end = parameter === undefined ? -1 : valueEnd(text, from, signs)
      if (end === -1 || members.has(key)) return undefined
      members.set(key, jsonOf(text.slice(from, end), kind, propertyOf(tools.get(name), key)))
      at = skipSpace(text, end + signs.ends.length)
    }
    const end = at + signs.closes.length
    if (!tools.has(name) || isAmbiguous(text, end, signs)) return undefined
    const entries = [...members].map(([key, json]) => `${JSON.stringify(key)}: ${json}`)
    return { calls: [{ name, arguments: `{${entries.join(', ')}}` }], end }
  }
  return undefined
}

function valueEnd(text: string, from: number, signs: ReturnType<TagFormat['signs']>): number {
  for (let end = text.indexOf(signs.ends, from); end !== -1; end = text.indexOf(signs.ends, end + 1)) {
    const next = skipSpace(text, end + signs.ends.length)
    if (text.startsWith(signs.begins, next) || text.startsWith(signs.closes, next)) return end
  }
  return -1
}

/** An end of a parameter that nothing began: a value held what looks like the end of the call, and nobody knows where it ended. */
function isAmbiguous(text: string, from: number, { begins, ends }: ReturnType<TagFormat['signs']>): boolean {
  const end = text.indexOf(ends, from)
  const begin = text.indexOf(begins, from)
  return end !== -1 && (begin === -1 || end < begin)
}

function propertyOf(schema: JsonObject | undefined, key: string): JsonObject | undefined {
  const properties = schema?.properties
  const property = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isJsonObject(property) ? property : undefined
}

/** A value as JSON text: text where the format or the schema says so, else the JSON it is, else text. */
function jsonOf(raw: string, kind: string | undefined, property: JsonObject | undefined): string {
  const text = plainText(raw)
  const isText = kind === 'true' || kind === 'string' || (kind === undefined && takesOnlyText(property))
  return isText || !isJson(raw.trim()) ? JSON.stringify(text) : raw.trim()
}

function takesOnlyText(property: JsonObject | undefined): boolean {
  const type: Json | undefined = property?.type
  if (Array.isArray(type)) return type.includes('string') && type.every((one) => one === 'string' || one === 'null')
  if (type !== undefined) return type === 'string'
  return Array.isArray(property?.enum) && property.enum.every((item) => typeof item === 'string')
}

/** Lines that only set the value apart from its tags are not part of it; nor is a frame that protects it. */
function plainText(raw: string): string {
  const framed = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(raw)?.[1]
  if (framed !== undefined) return framed
  return raw.startsWith('\n') && raw.endsWith('\n') && raw.length > 1 ? raw.slice(1, -1) : raw
}

function isJson(text: string): boolean {
  try {
    parseBody(text)
    return true
  } catch {
    return false
  }
}
