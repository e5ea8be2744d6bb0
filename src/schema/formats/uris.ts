// URIs (RFC 3986), IRIs (RFC 3987) and templates of URIs (RFC 6570). Every pattern here looks for one wrong character, or is tied to
// both ends without a choice: the time is linear in the text.
import { isIpv6 } from './addresses.js'

const unreserved = "a-zA-Z0-9._~!$&'()*+,;=-"
const beyondAscii =
  '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{1fffd}\\u{20000}-\\u{2fffd}\\u{30000}-\\u{3fffd}\\u{40000}-\\u{4fffd}\\u{50000}-\\u{5fffd}\\u{60000}-\\u{6fffd}\\u{70000}-\\u{7fffd}\\u{80000}-\\u{8fffd}\\u{90000}-\\u{9fffd}\\u{a0000}-\\u{afffd}\\u{b0000}-\\u{bfffd}\\u{c0000}-\\u{cfffd}\\u{d0000}-\\u{dfffd}\\u{e1000}-\\u{efffd}'
const privateUse = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}'

/** What may not stand in each part. */
interface Grammar {
  readonly userInfo: RegExp
  readonly host: RegExp
  readonly path: RegExp
  readonly query: RegExp
  readonly fragment: RegExp
}

const uri = grammarOf('', '')
const iri = grammarOf(beyondAscii, privateUse)

function grammarOf(more: string, inQuery: string): Grammar {
  const other = (characters: string): RegExp => new RegExp(`[^%${characters}]|%(?![\\da-fA-F]{2})`, 'u')
  return {
    host: other(more + unreserved),
    userInfo: other(`${more}:${unreserved}`),
    path: other(`${more}:@/${unreserved}`),
    query: other(`${more}${inQuery}:@/?${unreserved}`),
    fragment: other(`${more}:@/?${unreserved}`),
  }
}

export const isUri = (text: string): boolean => isReference(text, uri, true)
export const isUriReference = (text: string): boolean => isReference(text, uri, false)
export const isIri = (text: string): boolean => isReference(text, iri, true)
export const isIriReference = (text: string): boolean => isReference(text, iri, false)

function isReference(text: string, grammar: Grammar, isAbsolute: boolean): boolean {
  const [beforeFragment, fragment] = cut(text, '#')
  const [beforeQuery, query] = cut(beforeFragment, '?')
  if (grammar.fragment.test(fragment) || grammar.query.test(query)) return false
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(beforeQuery)?.[0]
  if (scheme === undefined && isAbsolute) return false
  const rest = beforeQuery.slice(scheme?.length ?? 0)
  // Without a scheme, a colon in the first segment would make one.
  if (scheme === undefined && /^[^/]*:/.test(rest)) return false
  if (!rest.startsWith('//')) return !grammar.path.test(rest)
  const slash = rest.indexOf('/', 2)
  const authority = rest.slice(2, slash === -1 ? undefined : slash)
  const path = slash === -1 ? '' : rest.slice(slash)
  return !grammar.path.test(path) && isAuthority(authority, grammar)
}

/** What stands before and after a character; nothing after it when it is not there. */
function cut(text: string, character: string): readonly [string, string] {
  const at = text.indexOf(character)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function isAuthority(authority: string, grammar: Grammar): boolean {
  const at = authority.lastIndexOf('@')
  if (at !== -1 && grammar.userInfo.test(authority.slice(0, at))) return false
  const hostAndPort = authority.slice(at + 1)
  const port = /:\d*$/.exec(hostAndPort)?.[0] ?? ''
  const host = hostAndPort.slice(0, hostAndPort.length - port.length)
  return host.startsWith('[') ? isIpLiteral(host) : !grammar.host.test(host)
}

function isIpLiteral(host: string): boolean {
  if (!host.endsWith(']')) return false
  const address = host.slice(1, -1)
  return isIpv6(address) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address)
}

const templateLiteral = /[\0-\x20"<>\\^`{|}\x7f-\x9f]|%(?![\da-fA-F]{2})/
const variable = /^(?:[a-zA-Z0-9_]|%[\da-fA-F]{2})+(?:\.(?:[a-zA-Z0-9_]|%[\da-fA-F]{2})+)*(?:\*|:[1-9]\d{0,3})?$/

export function isUriTemplate(text: string): boolean {
  let at = 0
  for (;;) {
    const open = text.indexOf('{', at)
    if (templateLiteral.test(text.slice(at, open === -1 ? undefined : open))) return false
    if (open === -1) return true
    const close = text.indexOf('}', open)
    if (close === -1 || !isExpression(text.slice(open + 1, close))) return false
    at = close + 1
  }
}

function isExpression(text: string): boolean {
  const variables = /^[+#./;?&=,!@|]/.test(text) ? text.slice(1) : text
  return variables.split(',').every((one) => variable.test(one))
}
