// Everyday requests in other words than those of the first list: numbers in words, dates, several places, who and when.
import { expect, test } from 'vitest'
import type { CompletionRequest } from '../../src/conversation/request.js'
import { offlineEngine } from '../../src/offline/index.js'
import { argsOf } from '../../src/tools/arguments.js'
import type { RequestCase } from './requests.js'
import { toolSet } from './tool-set.js'

const rows: readonly RequestCase[] = [
  ['What is 7 plus 8?', ['calculator', { expression: '7 + 8' }]],
  ["what's 100 divided by 4", ['calculator', { expression: '100 / 4' }]],
  ['how much is 9 minus 2 times 3', ['calculator', { expression: '9 - 2 * 3' }]],
  ['What is the sum of 3 and 4?', ['calculator', { expression: '3 + 4' }]],
  ['what is the product of 6 and 7', ['calculator', { expression: '6 * 7' }]],
  ['what is the difference between 10 and 4', ['calculator', { expression: '10 - 4' }]],
  ['what is 3 cubed', ['calculator', { expression: '3 ^ 3' }]],
  ['divide 81 by 9', ['calculator', { expression: '81 / 9' }]],
  ['what is (3 + 4) squared', ['calculator', { expression: '(3 + 4) ^ 2' }]],
  ['what is one hundred and twenty three times two', ['calculator', { expression: '123 * 2' }]],
  ['what is 5 million plus 1', ['calculator', { expression: '5000000 + 1' }]],
  ['how much is 20 percent of 45', ['calculator', { expression: '20 / 100 * 45' }]],
  ['What is 17 mod 5?', ['calculator', { expression: '17 % 5' }]],
  ['what time is it in London and Paris', ['clock', { place: 'London' }], ['clock', { place: 'Paris' }]],
  ['time in Asia/Kolkata please', ['clock', { place: 'Asia/Kolkata' }]],
  ['what is the time in São Paulo?', ['clock', { place: 'São Paulo' }]],
  ['which day is it today', ['clock', {}]],
  ['show me the file notes/today.md', ['read_file', { path: 'notes/today.md' }]],
  ['read ./a/b.txt', ['read_file', { path: './a/b.txt' }]],
  ['cat /etc/hosts', ['read_file', { path: '/etc/hosts' }]],
  ['read the files a.txt and b.txt', ['read_file', { path: 'a.txt' }], ['read_file', { path: 'b.txt' }]],
  ['list the directory src/cli', ['list_files', { path: 'src/cli' }]],
  ['fetch http://localhost:8080/health', ['http_get', { url: 'http://localhost:8080/health' }]],
  [
    'get https://example.com and https://example.org',
    ['http_get', { url: 'https://example.com' }],
    ['http_get', { url: 'https://example.org' }],
  ],
  ['is it cold in Oslo today', ['get_weather', { city: 'Oslo', date: 'today' }]],
  ['weather for Rome and Milan', ['get_weather', { city: 'Rome' }], ['get_weather', { city: 'Milan' }]],
  [
    'what will the weather be like in San Francisco on Sunday in celsius',
    ['get_weather', { city: 'San Francisco', unit: 'celsius', date: 'Sunday' }],
  ],
  ['forecast for Zürich tomorrow', ['get_weather', { city: 'Zürich', date: 'tomorrow' }]],
  [
    'mail to ann@example.com: the report is done',
    ['send_email', { to: 'ann@example.com', body: 'the report is done' }],
  ],
  [
    'write an email to kim@example.net that says "I am late"',
    ['send_email', { to: 'kim@example.net', body: 'I am late' }],
  ],
  [
    'schedule lunch with Tom on Friday at noon',
    ['create_event', { title: 'lunch', date: 'Friday', time: '12:00', attendees: ['Tom'] }],
  ],
  [
    'create an event called Party on 24 December at 8pm',
    ['create_event', { title: 'Party', date: '24 December', time: '20:00' }],
  ],
  [
    'create a meeting "Planning" on 2026-05-01 at 14:30 with Ann and Bob',
    ['create_event', { title: 'Planning', date: '2026-05-01', time: '14:30', attendees: ['Ann', 'Bob'] }],
  ],
  [
    'add an event titled Gym next Monday at 6:15 am',
    ['create_event', { title: 'Gym', date: 'next Monday', time: '06:15' }],
  ],
  ['remind me to send the invoice on Monday', ['add_todo', { task: 'send the invoice', due: 'Monday' }]],
  ['add a low priority task to clean the desk', ['add_todo', { task: 'clean the desk', priority: 'low' }]],
  ['add task: write tests', ['add_todo', { task: 'write tests' }]],
  [
    'remind me to water the plants tomorrow with medium priority',
    ['add_todo', { task: 'water the plants', priority: 'medium', due: 'tomorrow' }],
  ],
  ['convert 5 euros to dollars', ['convert_currency', { amount: 5, from_currency: 'EUR', to_currency: 'USD' }]],
  ['how many yen are 30 dollars', ['convert_currency', { amount: 30, from_currency: 'USD', to_currency: 'JPY' }]],
  ['change 12.50 CHF into EUR', ['convert_currency', { amount: 12.5, from_currency: 'CHF', to_currency: 'EUR' }]],
  [
    'convert 1 million rupees to pounds',
    ['convert_currency', { amount: 1_000_000, from_currency: 'INR', to_currency: 'GBP' }],
  ],
  ['search the web for typescript tutorials', ['search_web', { query: 'typescript tutorials' }]],
  ['search for 5 results about llamas', ['search_web', { query: 'llamas', count: 5 }]],
  ['google the best 3 pizza places in Naples', ['search_web', { query: 'best 3 pizza places in Naples' }]],
  ['translate hello world to German', ['translate', { text: 'hello world', target_language: 'German' }]],
  ['turn on the light in the kitchen', ['set_light', { room: 'kitchen', state: 'on' }]],
  ['switch off the bedroom light', ['set_light', { room: 'bedroom', state: 'off' }]],
  ['turn the lights off in the living room', ['set_light', { room: 'living_room', state: 'off' }]],
  ['what is 2 + 2 and what time is it in Rome', ['calculator', { expression: '2 + 2' }], ['clock', { place: 'Rome' }]],
  ['read a.txt and then list the files in src', ['read_file', { path: 'a.txt' }], ['list_files', { path: 'src' }]],
  ['convert it'],
  ['translate this'],
  ['turn it on'],
]

const engine = offlineEngine()

test.each(rows.map((row) => ({ request: row[0], expected: row.slice(1) })))('$request', ({ request, expected }) => {
  const asked: CompletionRequest = {
    model: 'offline',
    messages: [{ role: 'user', content: [{ type: 'text', text: request }] }],
    tools: toolSet,
  }
  expect(engine(asked).toolCalls.map((call) => [call.name, argsOf(call)])).toEqual(expected)
})
