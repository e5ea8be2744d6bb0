// The validators accept every documented example and refuse each documented fault.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { validate as anthropic } from './anthropic.js'
import { validate as gemini } from './gemini.js'
import { validate as ollama } from './ollama.js'
import { validate as openaiChat } from './openai-chat.js'
import { validate as openaiResponses } from './openai-responses.js'

const validators = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
  gemini,
} as const

for (const [wire, validate] of Object.entries(validators)) {
  const folder = new URL(`../examples/${wire}/`, import.meta.url)
  const files = readdirSync(folder).filter((name) => name.startsWith('request.') && name.endsWith('.json'))
  test.each(files)(`${wire}: the example %s is accepted`, (file) => {
    expect(validate(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))).toEqual([])
  })
  test(`${wire}: what is no request is refused`, () => {
    for (const body of [null, [], 'x', 1, {}]) expect(validate(body)).not.toEqual([])
  })
}

type Wire = keyof typeof validators

const said = { role: 'user', content: 'hi' }
const thought = { type: 'reasoning', summary: [] }
const words = (text: string) => ({ type: 'text', text })

function chat(messages: readonly object[]): object {
  return { model: 'm', messages: [said, ...messages] }
}
function called(id: string): object {
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
}
function answered(id: string): object {
  return { role: 'tool', tool_call_id: id, content: 'x' }
}
function responses(input: readonly object[]): object {
  return { model: 'm', store: false, input: [said, ...input] }
}
function item(id: string): object {
  return { type: 'function_call', call_id: id, name: 'f', arguments: '{}' }
}
function output(id: string): object {
  return { type: 'function_call_output', call_id: id, output: 'x' }
}
function claude(messages: readonly object[]): object {
  return {
    model: 'm',
    max_tokens: 9,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [said, ...messages],
  }
}
function used(...ids: readonly string[]): object {
  return { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) }
}
function told(...ids: readonly string[]): { readonly role: string; readonly content: readonly object[] } {
  return { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) }
}
function contents(list: readonly object[]): object {
  return { contents: [{ role: 'user', parts: [{ text: 'hi' }] }, ...list] }
}
function model(...ids: readonly string[]): object {
  return { role: 'model', parts: ids.map((id) => ({ functionCall: { id, name: 'f', args: {} } })) }
}
function reply(...ids: readonly string[]): object {
  return { role: 'user', parts: ids.map((id) => ({ functionResponse: { id, name: 'f', response: {} } })) }
}

/** The same shapes without the fault, so that each row is refused for its own reason. */
const sound: readonly (readonly [Wire, object])[] = [
  ['openai-chat', chat([called('a'), answered('a'), said])],
  ['openai-responses', responses([{ ...thought, encrypted_content: 'x' }, item('a'), output('a')])],
  ['anthropic', claude([used('a', 'b'), told('a', 'b'), said])],
  ['ollama', { model: 'm', messages: [said] }],
  ['gemini', contents([model('a', 'b'), reply('a', 'b')])],
]

test.each(sound)('%s: a sound history is accepted', (wire, body) => {
  expect(validators[wire](JSON.parse(JSON.stringify(body)))).toEqual([])
})

/** Requests that a provider refuses, each for one reason. */
const faults: readonly (readonly [Wire, string, object])[] = [
  ['openai-chat', 'an unanswered call', chat([called('a')])],
  ['openai-chat', 'a result of no call', chat([answered('a')])],
  ['openai-chat', 'a user between a call and its result', chat([called('a'), said, answered('a')])],
  ['openai-chat', 'a call answered twice', chat([called('a'), answered('a'), answered('a')])],
  ['openai-chat', 'an id of 41 characters', chat([called('a'.repeat(41)), answered('a'.repeat(41))])],
  ['openai-chat', 'no calls in tool_calls', chat([{ role: 'assistant', content: 'x', tool_calls: [] }])],
  ['openai-chat', 'an assistant who says nothing', chat([{ role: 'assistant', content: null }])],
  ['openai-chat', 'an image in a result', chat([called('a'), { ...answered('a'), content: [{ type: 'image_url' }] }])],
  ['openai-chat', 'a choice without tools', { ...chat([said]), tool_choice: 'auto' }],
  ['openai-chat', 'no tools in tools', { ...chat([said]), tools: [] }],
  ['openai-chat', 'half a surrogate pair', chat([{ role: 'user', content: '\ud800' }])],
  ['openai-responses', 'an unanswered call', responses([item('a')])],
  ['openai-responses', 'an output of no call', responses([output('a')])],
  ['openai-responses', 'an output before its call', responses([output('a'), item('a')])],
  ['openai-responses', 'reasoning that led to nothing', responses([{ ...thought, encrypted_content: 'x' }])],
  ['openai-responses', 'reasoning that was not stored', responses([thought, item('a'), output('a')])],
  [
    'openai-responses',
    'strict left out',
    { ...responses([]), input: 'x', tools: [{ type: 'function', name: 'f', parameters: null }] },
  ],
  ['anthropic', 'an unanswered call', claude([used('a')])],
  ['anthropic', 'a result of no call', claude([told('a')])],
  [
    'anthropic',
    'text before a result',
    claude([used('a'), { role: 'user', content: [words('x'), ...told('a').content] }]),
  ],
  ['anthropic', 'results in two messages', claude([used('a', 'b'), told('a'), told('b')])],
  ['anthropic', 'one id twice', claude([used('a'), told('a'), used('a'), told('a')])],
  ['anthropic', 'blank text', claude([{ role: 'user', content: [words(' ')] }])],
  ['anthropic', 'an assistant first', { ...claude([]), messages: [{ role: 'assistant', content: 'x' }, said] }],
  ['anthropic', 'a prefill that ends in white space', claude([{ role: 'assistant', content: 'x ' }])],
  ['anthropic', 'an id with a dot', claude([used('a.b'), told('a.b')])],
  ['anthropic', 'system text first', { ...claude([]), messages: [{ role: 'system', content: 'x' }, said] }],
  ['anthropic', 'a temperature', { ...claude([]), temperature: 1 }],
  ['anthropic', 'no max_tokens', { ...claude([]), max_tokens: undefined }],
  [
    'anthropic',
    'thinking without a signature',
    claude([{ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }]),
  ],
  [
    'ollama',
    'arguments as text',
    {
      model: 'm',
      messages: [{ role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }],
    },
  ],
  ['ollama', 'content as a list', { model: 'm', messages: [{ role: 'user', content: [words('x')] }] }],
  ['gemini', 'fewer responses than calls', contents([model('a', 'b'), reply('a')])],
  ['gemini', 'a response of no call', contents([reply('a')])],
  ['gemini', 'a model first', { contents: [{ role: 'model', parts: [{ text: 'x' }] }] }],
  ['anthropic', 'calls without tools', { ...claude([used('a'), told('a')]), tools: undefined }],
  ['gemini', 'no parts', { contents: [{ role: 'user', parts: [] }] }],
  [
    'gemini',
    'a response that is no object',
    contents([model('a'), { role: 'user', parts: [{ functionResponse: { name: 'f', id: 'a', response: 'x' } }] }]),
  ],
  [
    'gemini',
    'calls behind a model turn',
    contents([{ role: 'model', parts: [{ text: 'x' }] }, model('a'), reply('a')]),
  ],
]

test.each(faults)('%s: %s is refused', (wire, _, body) => {
  expect(validators[wire](JSON.parse(JSON.stringify(body)))).not.toEqual([])
})

test('gemini: Vertex refuses an empty text, unless it is signed', () => {
  const body = (part: object) => ({ contents: [{ role: 'user', parts: [part] }] })
  expect(gemini(body({ text: '' }))).toEqual([])
  expect(gemini(body({ text: '' }), { emptyTexts: true })).toHaveLength(1)
  expect(gemini(body({ text: '', thoughtSignature: 'c2ln' }), { emptyTexts: true })).toEqual([])
})
