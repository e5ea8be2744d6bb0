// The model behind the gateway: asks for the shell that the client offers, whatever it is called, and says what it printed.
import { providerServer } from '../../dist/testing/index.js'

/** Reads the secret of the folder and leaves a copy of it: nobody who did not run it can know or do that. */
export const command = 'cp secret.txt copy.txt && cat copy.txt'

export function startUpstream() {
  return providerServer({ strict: true, script: turnFor })
}

function turnFor({ messages, tools = [], output }) {
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  if (results.length > 0) return { text: `The file says: ${textOf(results.at(-1).content)}`, usage }
  const shell = tools.map(shellOf).find((call) => call !== undefined)
  if (shell !== undefined) return { text: 'Let me look.', calls: [shell], usage }
  return { text: output === undefined ? 'A short title' : JSON.stringify(valueFor(output.schema)), usage } // for itself
}

const usage = { input: 100, output: 20, total: 120 }

/** A call of a tool that takes a command; every other value it must have is made from its type. */
function shellOf(tool) {
  const { properties = {} } = tool.inputSchema ?? {}
  const member = ['command', 'cmd'].find((name) => properties[name] !== undefined)
  if (tool.type !== undefined || member === undefined) return undefined
  return { name: tool.name, args: { ...valueFor(tool.inputSchema), [member]: commandAs(properties[member]) } }
}

function commandAs({ type }) {
  return type === 'array' ? ['sh', '-c', command] : command
}

function valueFor({ type, enum: values, properties = {}, required = [] } = {}) {
  if (values !== undefined) return values[0]
  const made = { boolean: false, number: 1, integer: 1, array: [] }
  if (type !== 'object') return made[type] ?? 'read the file'
  return Object.fromEntries(required.map((name) => [name, valueFor(properties[name])]))
}

function textOf(content) {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
