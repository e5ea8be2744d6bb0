// Every list and every long text that a client can put into a request, by its length. A list counts its members, a text its characters.
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from '../../src/conversation/messages.js'
import type { CompletionRequest, ToolSpec } from '../../src/conversation/request.js'

/** Stands for a number that is another one in each request, so that no gateway remembers the tools of the last one. */
export const salt = '$SALT'

/** What a client sends besides the model. The history is written message by message, settings by the codec of the wire. */
export interface RequestParts {
  readonly messages: readonly Message[]
  readonly settings?: Omit<CompletionRequest, 'model' | 'messages'>
}

/** Fills a request with as much of one thing as is asked for. `size` is a length that is about 250 kB. */
export interface RequestShape {
  readonly size: number
  /** The longest that is not refused for another reason, such as its depth. */
  readonly most?: number
  readonly build: (length: number) => RequestParts
}

const text = (value: string) => ({ type: 'text', text: value }) as const
const user = (value = 'Go on.'): UserMessage => ({ role: 'user', content: [text(value)] })
const assistant = (...content: AssistantPart[]): AssistantMessage => ({ role: 'assistant', content })
const call = (id: string, args = '{"path":"a"}', name = 'read_file'): ToolCall => {
  return { type: 'tool_call', id, name, arguments: args }
}
const result = (callId: string, content = 'found', isError = false): ToolResult => {
  return { callId, name: 'read_file', isError, content: [text(content)] }
}
const tool = (...results: ToolResult[]): ToolMessage => ({ role: 'tool', results })

function times<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

/** A history of messages made by `make`. */
const history = (size: number, make: (length: number) => readonly Message[]): RequestShape => ({
  size,
  build: (length) => ({ messages: make(length) }),
})

const ids = (length: number) => times(length, (index) => `call_${index}`)
const calls = (length: number) => assistant(...ids(length).map((id) => call(id)))

const tools = (size: number, make: (length: number) => readonly ToolSpec[]): RequestShape => ({
  size,
  build: (length) => ({ messages: [user()], settings: { tools: make(length) } }),
})
const string = { type: 'string' }
const spec = (name: string, properties: Record<string, object> = { path: string }): ToolSpec => ({
  name,
  description: `Reads a file ${salt}`,
  inputSchema: { type: 'object', properties: properties as never },
})

const words = (length: number) => 'word '.repeat(length / 5)

export const histories: Readonly<Record<string, RequestShape>> = {
  'system messages': history(4_000, (n) => [
    ...times(n, (i) => ({ role: 'system', content: [text(`Rule ${i}`)] }) as const),
    user(),
  ]),
  'system messages between turns': history(2_000, (n) => [
    user(),
    ...times(n, (i) => [{ role: 'system', content: [text(`Rule ${i}`)] } as const, user()]).flat(),
  ]),
  'user messages': history(4_000, (n) => times(n, (i) => user(`Line ${i}`))),
  'assistant messages': history(4_000, (n) => [user(), ...times(n, (i) => assistant(text(`Line ${i}`))), user()]),
  'alternating turns': history(2_000, (n) =>
    times(n, (i) => [user(), assistant(text(`Line ${i}`))])
      .flat()
      .concat(user()),
  ),
  'empty messages': history(4_000, (n) => [
    user(),
    ...times(n, () => ({ role: 'user', content: [text('')] }) as const),
  ]),
  'rounds of calls': history(1_000, (n) => [
    user(),
    ...ids(n).flatMap((id) => [assistant(call(id)), tool(result(id))]),
  ]),
  'rounds with the same id': history(1_000, (n) => [
    user(),
    ...times(n, () => [assistant(call('call_1')), tool(result('call_1'))]).flat(),
  ]),
  'calls of a turn': history(1_500, (n) => [user(), calls(n), tool(...ids(n).map((id) => result(id)))]),
  'calls with the same id': history(1_500, (n) => [
    user(),
    assistant(...times(n, () => call('call_1'))),
    tool(...times(n, () => result('call_1'))),
  ]),
  'calls without ids': history(1_500, (n) => [
    user(),
    assistant(...times(n, () => call(''))),
    tool(...times(n, () => result(''))),
  ]),
  'calls without results': history(2_000, (n) => [user(), calls(n), user()]),
  'assistant messages with a call': history(1_500, (n) => [
    user(),
    ...ids(n).map((id) => assistant(call(id))),
    ...ids(n).map((id) => tool(result(id))),
  ]),
  'texts and calls in turn': history(1_200, (n) => [
    user(),
    assistant(...ids(n).flatMap((id) => [text('Reading.'), call(id)])),
    tool(...ids(n).map((id) => result(id))),
  ]),
  'results in reverse': history(1_500, (n) => [
    user(),
    calls(n),
    tool(
      ...ids(n)
        .reverse()
        .map((id) => result(id)),
    ),
  ]),
  'results in messages apart': history(1_500, (n) => [user(), calls(n), ...ids(n).map((id) => tool(result(id)))]),
  'results and user messages in turn': history(1_500, (n) => [
    user(),
    calls(n),
    ...ids(n).flatMap((id) => [tool(result(id)), user()]),
  ]),
  'results that failed': history(1_500, (n) => [
    user(),
    calls(n),
    tool(...ids(n).map((id) => result(id, 'no such file', true))),
  ]),
  'results without calls': history(2_000, (n) => [user(), tool(...ids(n).map((id) => result(id)))]),
  'results without calls in messages apart': history(2_000, (n) => [user(), ...ids(n).map((id) => tool(result(id)))]),
  'results of one call': history(2_000, (n) => [user(), calls(1), tool(...times(n, () => result('call_0')))]),
  'texts of a system message': history(4_000, (n) => [
    { role: 'system', content: times(n, (i) => text(`Rule ${i}`)) },
    user(),
  ]),
  'texts of a user message': history(4_000, (n) => [{ role: 'user', content: times(n, (i) => text(`Line ${i}`)) }]),
  'texts of a turn': history(4_000, (n) => [user(), assistant(...times(n, (i) => text(`Line ${i}`))), user()]),
  'texts of a result': history(4_000, (n) => [
    user(),
    calls(1),
    tool({ ...result('call_0'), content: times(n, (i) => text(`Line ${i}`)) }),
  ]),
  'images of a user message': history(2_000, (n) => [
    {
      role: 'user',
      content: [text('Look'), ...times(n, (i) => ({ type: 'image', url: `https://a.example/${i}` }) as const)],
    },
  ]),
  'images of a result': history(2_000, (n) => [
    user(),
    calls(1),
    tool({
      ...result('call_0'),
      content: times(n, (i) => ({ type: 'image', url: `https://a.example/${i}` }) as const),
    }),
  ]),
  'reasoning of a turn': history(2_500, (n) => [
    user(),
    assistant(...times(n, (i) => ({ type: 'reasoning', text: `Thought ${i}` }) as const), text('Done')),
    user(),
  ]),
  'reasoning and texts in turn': history(2_000, (n) => [
    user(),
    assistant(...times(n, (i) => [{ type: 'reasoning', text: `Thought ${i}` } as const, text('Done')]).flat()),
    user(),
  ]),
  'a long text': history(250_000, (n) => [user(words(n))]),
  'a long text with escapes': history(120_000, (n) => [user('"\\\n'.repeat(n / 3))]),
  'a long text of the assistant': history(250_000, (n) => [user(), assistant(text(words(n))), user()]),
  'a long system text': history(250_000, (n) => [{ role: 'system', content: [text(words(n))] }, user()]),
  'a long result': history(250_000, (n) => [user(), calls(1), tool(result('call_0', words(n)))]),
  'a long argument': history(250_000, (n) => [
    user(),
    assistant(call('call_0', JSON.stringify({ path: words(n) }))),
    tool(result('call_0')),
  ]),
  'many arguments': history(12_000, (n) => [
    user(),
    assistant(call('call_0', JSON.stringify(Object.fromEntries(times(n, (i) => [`key_${i}`, i]))))),
    tool(result('call_0')),
  ]),
}

/** A tool whose schema has as many levels. */
const nestedTool = (levels: number): readonly ToolSpec[] => {
  let path: object = string
  for (let level = 0; level < levels; level += 1) path = { type: 'object', properties: { a: path } }
  return [spec('read_file', { path })]
}

export const settings: Readonly<Record<string, RequestShape>> = {
  tools: tools(1_000, (n) => times(n, (i) => spec(`read_${i}`))),
  'tools with names that are not allowed': tools(1_000, (n) => times(n, (i) => spec(`read file ${i}!`))),
  'tools of the same name': tools(1_000, (n) => times(n, () => spec('read_file'))),
  'properties of a tool': tools(5_000, (n) => [
    spec('read_file', Object.fromEntries(times(n, (i) => [`path_${i}`, string]))),
  ]),
  'properties with names that are not allowed': tools(5_000, (n) => [
    spec('read_file', Object.fromEntries(times(n, (i) => [`path ${i}`, string]))),
  ]),
  'values of an enum': tools(10_000, (n) => [
    spec('read_file', { path: { type: 'string', enum: times(n, (i) => `path_${i}`) } }),
  ]),
  'alternatives of a schema': tools(5_000, (n) => [
    spec('read_file', { path: { anyOf: times(n, (i) => ({ type: 'string', maxLength: i })) } }),
  ]),
  'levels of a schema': { ...tools(50, nestedTool), most: 200 },
  'definitions of a schema': tools(3_000, (n) => {
    const named = times(n, (i) => [`path_${i}`, { $ref: `#/$defs/type_${i}` }] as const)
    const one = spec('read_file', Object.fromEntries(named))
    const $defs = Object.fromEntries(times(n, (i) => [`type_${i}`, string]))
    return [{ ...one, inputSchema: { ...one.inputSchema, $defs } }]
  }),
  'a long description': tools(250_000, (n) => [{ ...spec('read_file'), description: words(n) }]),
  'allowed tools': {
    size: 1_000,
    build(n) {
      const list = times(n, (i) => spec(`read_${i}`))
      const toolChoice = { allowed: list.map(({ name }) => name), mode: 'auto' } as const
      return { messages: [user()], settings: { tools: list, toolChoice } }
    },
  },
  'stop sequences': {
    size: 10_000,
    build: (n) => ({ messages: [user()], settings: { stop: times(n, (i) => `stop ${i}`) } }),
  },
  'properties of the output': {
    size: 5_000,
    build: (n) => ({
      messages: [user()],
      settings: {
        output: {
          name: 'answer',
          schema: {
            type: 'object',
            properties: Object.fromEntries(times(n, (i) => [`path_${i}`, string])),
            additionalProperties: false,
          },
        },
      },
    }),
  },
}
