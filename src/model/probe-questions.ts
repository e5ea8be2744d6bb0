// What a probe asks, and what the answers show. Each question has one right answer that a model cannot give by chance.
// The trap: a model may also just not have wanted to. What only a lack of calls shows is said in the evidence.
import { textOf } from '../conversation/messages.js'
import type { OutputSpec, ToolChoice, ToolSpec } from '../conversation/request.js'
import type { CompletionResponse } from '../conversation/response.js'
import { parseBody } from '../json/parse.js'
import { checkJson } from '../schema/validate.js'
import type { Capabilities, ModelRequest, Support } from './model.js'

/** What is found out: all capabilities, and what is good to know besides. */
export type Feature = Exclude<keyof Capabilities, 'outputSchema'> | 'toolChoiceAuto' | 'toolChoiceAllowed' | 'callIds'
/** What an answer shows. */
export interface Verdict {
  readonly support: Support
  readonly evidence: string
}
export interface Answer {
  readonly response: CompletionResponse
  /** Pieces of text, in a stream. */
  readonly pieces: number
}
export interface Question {
  readonly feature: Feature
  readonly request: ModelRequest
  readonly stream?: boolean
  /** Not asked of a server that refused tools. */
  readonly needsTools?: boolean
  /** Where a loss says that the wire itself could not ask. */
  readonly path?: string
  judge(answer: Answer): Verdict
}

const yes = (evidence: string): Verdict => ({ support: 'yes', evidence })
const no = (evidence: string): Verdict => ({ support: 'no', evidence })
const unknown = (evidence: string): Verdict => ({ support: 'unknown', evidence })

const city = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather: ToolSpec = { name: 'get_weather', description: 'Current weather of a city', inputSchema: city }
const clock: ToolSpec = { name: 'get_time', description: 'Current time in a city', inputSchema: city }
const tools: readonly ToolSpec[] = [weather, clock]

const output: OutputSpec = {
  name: 'capital',
  schema: {
    type: 'object',
    properties: { country: { type: 'string' }, letters: { type: 'integer' } },
    required: ['country', 'letters'],
    additionalProperties: false,
  },
}
const capital = 'Paris is the capital of which country, and how many letters has the name of that country?'
/** A red square of 32 by 32 points. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC'

/** The first question: whether there is anybody who answers at all. */
export const greeting: ModelRequest = say('Answer with the one word: ready')

/** In the order they are asked. */
export const questions: readonly Question[] = [
  {
    feature: 'streaming',
    request: say('Count from one to forty in words.'),
    stream: true,
    // A short answer may fit into one piece of an honest stream.
    judge: ({ pieces }) =>
      pieces > 1
        ? yes(`the text came in ${pieces} pieces`)
        : unknown('it was accepted, and the answer came in one piece'),
  },
  {
    feature: 'toolChoiceAuto',
    request: { ...say('What is the weather in Paris? Use the tool get_weather.'), tools, toolChoice: 'auto' },
    needsTools: true,
    judge: ({ response }) =>
      namesIn(response).length > 0 ? yes(`it called ${calledIn(response)}`) : unknown('it answered without a call'),
  },
  {
    feature: 'parallelToolCalls',
    request: {
      ...say('What is the weather in Paris, in Tokyo and in Lima? Call get_weather for all three at once.'),
      tools,
    },
    needsTools: true,
    judge: ({ response }) => {
      const { length } = namesIn(response)
      return length > 1 ? yes(`${length} calls in one answer`) : unknown(`${plural(length, 'call')} for three cities`)
    },
  },
  choice('toolChoiceNone', 'none', 'What is the weather in Paris? Use the tool get_weather.', (names) =>
    names.length === 0 ? yes('it made no call though it was told to in words') : no(`it called ${names.join(', ')}`),
  ),
  choice('toolChoiceRequired', 'required', 'Say hello.', (names) =>
    names.length > 0 ? yes(`it called ${names.join(', ')} though only greeted`) : no('it answered without a call'),
  ),
  choice('toolChoiceNamed', { tool: 'get_time' }, 'What is the weather in Paris?', (names) =>
    names.length > 0 && names.every((name) => name === 'get_time')
      ? yes('it called get_time though asked for the weather')
      : no(names.length === 0 ? 'it answered without a call' : `it called ${names.join(', ')}, not get_time`),
  ),
  choice(
    'toolChoiceAllowed',
    { allowed: ['get_time'], mode: 'auto' },
    'What is the weather in Paris? Use the tool get_weather.',
    (names) =>
      names.includes('get_weather')
        ? no('it called get_weather, which was not allowed')
        : yes(names.length === 0 ? 'it made no call to the other tool' : `it called ${names.join(', ')} only`),
  ),
  {
    feature: 'structuredOutput',
    request: { ...say(capital), output },
    path: '/output',
    judge: ({ response }) => structured(response),
  },
  {
    feature: 'structuredOutputWithTools',
    request: { ...say(`${capital} Answer at once, without a tool.`), output, tools },
    needsTools: true,
    path: '/output',
    judge: ({ response }) =>
      namesIn(response).length > 0 ? unknown(`it called ${calledIn(response)} first`) : structured(response),
  },
  {
    feature: 'images',
    request: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', mediaType: 'image/png', data: redSquare },
            { type: 'text', text: 'Which colour is this square? Answer with one word.' },
          ],
        },
      ],
    },
    path: '/messages/0/content/0',
    judge: ({ response }) =>
      /\bred\b/i.test(response.text) ? yes('it saw that a square is red') : unknown(`it said ${quoted(response.text)}`),
  },
  {
    feature: 'reasoning',
    request: { ...say('How many prime numbers are below 20?'), reasoning: { effort: 'low' } },
    path: '/reasoning',
    judge: ({ response }) => reasoned(response),
  },
]

function say(text: string): ModelRequest {
  return { messages: [{ role: 'user', content: [{ type: 'text', text }] }] }
}

function choice(
  feature: Feature,
  toolChoice: ToolChoice,
  text: string,
  judge: (names: readonly string[]) => Verdict,
): Question {
  // Without tools there is no choice to obey: how a wire says `none` is its own matter.
  const path = toolChoice === 'none' ? {} : { path: '/toolChoice' }
  const request: ModelRequest = { ...say(text), tools, toolChoice }
  return { feature, request, needsTools: true, ...path, judge: ({ response }) => judge(namesIn(response)) }
}

/** The tools that were called, by calls that could run. */
export function namesIn({ toolCalls }: CompletionResponse): readonly string[] {
  return toolCalls.map((call) => call.name)
}

function calledIn({ toolCalls }: CompletionResponse): string {
  return toolCalls.map((call) => `${call.name}(${call.arguments})`).join(', ')
}

function structured({ text }: CompletionResponse): Verdict {
  try {
    const checked = checkJson(output.schema, parseBody(text))
    return checked.ok ? yes(`it answered ${quoted(text)}`) : no(`its JSON does not fit the schema: ${quoted(text)}`)
  } catch {
    return no(`it answered ${quoted(text)}, which is no JSON`)
  }
}

function reasoned({ message, usage }: CompletionResponse): Verdict {
  const thoughts = message.content.filter((part) => part.type === 'reasoning')
  if (thoughts.length > 0) {
    const text = textOf(thoughts.map(({ text: thought }) => ({ type: 'text', text: thought })))
    return yes(text === '' ? 'its reasoning came sealed' : `it thought ${quoted(text)}`)
  }
  const tokens = usage?.reasoning ?? 0
  return tokens > 0
    ? yes(`it counted ${tokens} tokens of reasoning`)
    : unknown('it was accepted, and nothing was shown')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The beginning of a foreign text, on one line. */
export function quoted(text: string): string {
  const line = [...text.slice(0, 400).replace(/\s+/g, ' ').trim()]
  return `"${line.length > 60 ? `${line.slice(0, 59).join('')}…` : line.join('')}"`
}
