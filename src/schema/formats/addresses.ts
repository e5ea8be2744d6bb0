// IP addresses and e-mail addresses.
import { isHostname } from './hosts.js'

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4Pattern = new RegExp(`^(?:${octet}\\.){3}${octet}$`)

export function isIpv4(text: string): boolean {
  return text.length <= 15 && ipv4Pattern.test(text)
}

export function isIpv6(text: string): boolean {
  if (text.length > 45 || /[^\da-fA-F:.]/.test(text)) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const last = all.at(-1) ?? ''
  const hasIpv4 = last.includes('.')
  // An address of version 4 stands at the end only, in the place of two groups.
  if (hasIpv4 && (text.endsWith('::') || !isIpv4(last))) return false
  const hex = hasIpv4 ? all.slice(0, -1) : all
  if (!hex.every((group) => /^[\da-fA-F]{1,4}$/.test(group))) return false
  const count = hex.length + (hasIpv4 ? 2 : 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

const longestLocal = 64
const atom = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
const asciiLocal = new RegExp(`^(?:${atom}(?:\\.${atom})*|"(?:[ !#-[\\]-~]|\\\\[ -~])*")$`)
const unicodeAtom = atom.replace('-]+', '\\u{80}-\\u{10ffff}-]+')
const unicodeLocal = new RegExp(
  `^(?:${unicodeAtom}(?:\\.${unicodeAtom})*|"(?:[ !#-[\\]-~\\u{80}-\\u{10ffff}]|\\\\[ -~])*")$`,
  'u',
)

/** A mailbox of RFC 5321. */
export function isEmail(text: string): boolean {
  const [local, domain] = mailboxOf(text)
  return asciiLocal.test(local) && (isHostname(domain) || isAddressLiteral(domain))
}

/** A mailbox of RFC 6531, whose parts may hold any character beyond ASCII. */
export function isIdnEmail(text: string): boolean {
  const [local, domain] = mailboxOf(text)
  return unicodeLocal.test(local) && (isUnicodeDomain(domain) || isAddressLiteral(domain))
}

/** The parts on both sides of the last `@`; empty where they are too long to be one. */
function mailboxOf(text: string): readonly [local: string, domain: string] {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(0, at))
  const domain = text.slice(at + 1)
  if (at === -1 || local.length > longestLocal || domain.length > 255) return ['', '']
  return new TextEncoder().encode(local).length > longestLocal ? ['', ''] : [local, domain]
}

const unicodeDomainLabel =
  /^[a-zA-Z0-9\u{80}-\u{10ffff}](?:[a-zA-Z0-9\u{80}-\u{10ffff}-]*[a-zA-Z0-9\u{80}-\u{10ffff}])?$/u

function isUnicodeDomain(domain: string): boolean {
  return domain.split('.').every((label) => unicodeDomainLabel.test(label))
}

function isAddressLiteral(domain: string): boolean {
  if (!domain.startsWith('[') || !domain.endsWith(']')) return false
  const address = domain.slice(1, -1)
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address)
}
