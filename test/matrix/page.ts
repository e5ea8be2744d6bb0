// docs/wires.md, made from the matrix and from nothing else: the same files give the same page.
import { type Wire, wires } from '../../src/conversation/messages.js'
import { stringifyJson } from '../../src/json/stringify.js'
import type { Value, ValueObject } from '../../src/json/types.js'
import { type Column, type Concern, formatJson } from './format.js'

/** Each section begins with its plainest concern; the others show only what differs from it. */
const sections = [
  {
    kind: 'request',
    title: 'Requests',
    what: 'What is sent to a provider, and what a server half reads.',
    plain: 'tool-definition',
  },
  {
    kind: 'response',
    title: 'Answers',
    what: 'What a server half writes, and what a client reads; streamed, the same.',
    plain: 'response-text',
  },
  {
    kind: 'error',
    title: 'Errors',
    what: 'What a server half answers when it fails; a client reads the same code.',
    plain: 'error-invalid-request',
  },
] as const

const opening = `# The wires, side by side

Generated from \`test/matrix/\` by \`node scripts/matrix.mjs --write\`; do not edit. Each concern is one canonical value and what
it is on the five wires. Members that are the same as in the first concern of a section are left out here; the files have
every body whole. *Changed* lists what did not cross unchanged, as \`code /path\` into the canonical value: a repair of the
history, or a loss that says what a reader gets instead. Without such a line nothing is lost.`

export function pageOf(concerns: readonly Concern[]): string {
  const ordered = sections.map((section) => ({ ...section, concerns: inOrder(concerns, section.kind, section.plain) }))
  const parts = [opening, '## Contents']
  for (const section of ordered) parts.push(contents(section.title, section.concerns))
  for (const section of ordered) {
    const [plain, ...others] = section.concerns
    if (plain === undefined) continue
    parts.push(`## ${section.title}`, section.what, entry(plain), ...others.map((concern) => entry(concern, plain)))
  }
  return `${parts.join('\n\n')}\n`
}

/** The plainest first, the others as they come. */
function inOrder(concerns: readonly Concern[], kind: Concern['kind'], plain: string): readonly Concern[] {
  const found = concerns.filter((concern) => concern.kind === kind)
  return [...found.filter(({ name }) => name === plain), ...found.filter(({ name }) => name !== plain)]
}

function contents(title: string, concerns: readonly Concern[]): string {
  const links = concerns.map((concern) => `[${concern.title}](#${concern.name})`)
  return `**${title}** (${concerns.length})\n\n${links.map((link) => `- ${link}`).join('\n')}`
}

function entry(concern: Concern, plain?: Concern): string {
  const whole = canonicalOf(concern)
  const other = plain === undefined ? {} : canonicalOf(plain)
  const absent = Object.keys(other).filter((key) => !Object.hasOwn(whole, key))
  const head = absent.length === 0 ? 'canonical' : `canonical, without ${absent.map((key) => `\`${key}\``).join(', ')}`
  return [
    `<a id="${concern.name}"></a>`,
    `### ${concern.title}`,
    concern.about,
    `${head}\n${block(without(whole, other))}`,
    ...wires.map((wire) => columnText(wire, concern.wires[wire], plain?.wires[wire])),
  ].join('\n\n')
}

/** The canonical value as its file has it: a response without what is read off its message. */
function canonicalOf(concern: Concern): ValueObject {
  if (concern.kind !== 'response') return concern.canonical as unknown as ValueObject
  const { id, model, message, finishReason, rawFinishReason, usage, metadata } = concern.canonical
  const raw = rawFinishReason === undefined ? {} : { rawFinishReason }
  const more = Object.keys(metadata).length === 0 ? {} : { metadata }
  return { id, model, message, finishReason, ...raw, usage, ...more } as unknown as ValueObject
}

/** The value without the members that another has the same. */
function without(value: Value | undefined, plain: Value | undefined): Value {
  if (!isObject(value) || !isObject(plain)) return value ?? null
  const isSame = (key: string, member: Value): boolean =>
    Object.hasOwn(plain, key) && stringifyJson(plain[key] as Value) === stringifyJson(member)
  return Object.fromEntries(Object.entries(value).filter(([key, member]) => !isSame(key, member)))
}

function isObject(value: Value | undefined): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function columnText(wire: Wire, column: Column, plain: Column | undefined): string {
  const { profile, model, path, headers = {}, status, refused, losses = [], decoded } = column
  const said = Object.entries(headers).filter(([name, value]) => plain?.headers?.[name] !== value)
  const where = [
    ...(profile === undefined ? [] : [`profile \`${profile}\``]),
    ...(model === undefined ? [] : [`model \`${model}\``]),
    ...(path === undefined || path === plain?.path ? [] : [`\`${path}\``]),
    ...said.map(([name, value]) => `\`${name}: ${value}\``),
    ...(status === undefined ? [] : [`status ${status}`]),
  ]
  const head = where.length === 0 ? `**${wire}**` : `**${wire}** ${where.join(', ')}`
  if (refused !== undefined) return `${head}\n\nRefused before the network: \`${refused}\``
  const parts = [`${head}\n${block(without(column.body, plain?.body))}`]
  if (losses.length > 0) parts.push(`*Changed:* ${losses.map((loss) => `\`${loss}\``).join(', ')}`)
  if (decoded !== undefined) parts.push(`Read back as\n${block(decoded)}`)
  return parts.join('\n\n')
}

function block(value: Value): string {
  return `\`\`\`json\n${formatJson(value, 140)}\n\`\`\``
}
