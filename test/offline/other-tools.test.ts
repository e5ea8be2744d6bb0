// The offline engine with tools of other kinds: numbers of several meanings, lists of choices, flags, names, and two places at once.
import { describe, expect, test } from 'vitest'
import type { CompletionRequest, ToolSpec } from '../../src/conversation/request.js'
import type { Json, JsonObject } from '../../src/json/types.js'
import { offlineEngine } from '../../src/offline/index.js'
import { parametersOf } from '../../src/offline/parameters.js'
import { argsOf } from '../../src/tools/arguments.js'
import type { RequestCase } from './requests.js'

const text = (description?: string): JsonObject => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
})
const number = (description?: string): JsonObject => ({
  type: 'number',
  ...(description === undefined ? {} : { description }),
})
const define = (name: string, description: string, properties: JsonObject, required: readonly string[]): ToolSpec => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
})

const tools: readonly ToolSpec[] = [
  define(
    'book_flight',
    'Books a flight between two cities.',
    {
      origin: text('City to fly from'),
      destination: text('City to fly to'),
      date: text('Day of departure'),
      passengers: { type: 'integer', minimum: 1, maximum: 9, description: 'Number of passengers' },
      cabin: { type: 'string', enum: ['economy', 'business', 'first'] },
    },
    ['origin', 'destination'],
  ),
  define('set_alarm', 'Sets an alarm.', { time: text('Time of the alarm'), label: text('What the alarm is for') }, [
    'time',
  ]),
  define(
    'create_user',
    'Creates a user account.',
    {
      name: text('Full name of the user'),
      email: text('Email address'),
      age: { type: 'integer' },
      admin: { type: 'boolean', description: 'Whether the user is an administrator' },
    },
    ['name'],
  ),
  define('get_stock_price', 'Gets the current price of a stock.', { symbol: text('Ticker symbol') }, ['symbol']),
  define('get_order', 'Looks up an order.', { order_id: text('Identifier of the order') }, ['order_id']),
  define(
    'loan_payment',
    'Calculates the monthly payment of a loan.',
    {
      principal: number('Amount of the loan'),
      rate: number('Interest rate in percent'),
      years: { type: 'integer', description: 'Years to repay' },
    },
    ['principal', 'rate', 'years'],
  ),
  define(
    'rate_movie',
    'Rates a movie.',
    { title: text('Title of the movie'), rating: { type: 'integer', minimum: 1, maximum: 10 } },
    ['title', 'rating'],
  ),
  define(
    'set_temperature',
    'Sets the thermostat to a temperature.',
    { degrees: number(), unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    ['degrees'],
  ),
  define('find_employee', 'Finds an employee by name.', { first_name: text(), last_name: text() }, ['last_name']),
  define(
    'transfer_money',
    'Transfers money to another account.',
    { amount: number(), to: text('Name of the recipient'), note: text('Text for the recipient') },
    ['amount', 'to'],
  ),
  define('calculate_area', 'Calculates the area of a rectangle.', { width: number(), height: number() }, [
    'width',
    'height',
  ]),
  define('get_distance', 'Gets the distance between two places.', { from: text('Start'), to: text('Destination') }, [
    'from',
    'to',
  ]),
  define(
    'movies_of_year',
    'Lists movies of a year.',
    {
      year: { type: 'integer', description: 'The year' },
      genre: { type: 'string', enum: ['comedy', 'drama', 'horror'] },
    },
    ['year'],
  ),
]

const rows: readonly RequestCase[] = [
  [
    'Book a flight from Berlin to New York on May 5',
    ['book_flight', { origin: 'Berlin', destination: 'New York', date: 'May 5' }],
  ],
  [
    'book a business flight from Oslo to Rome for 2 passengers tomorrow',
    ['book_flight', { origin: 'Oslo', destination: 'Rome', date: 'tomorrow', passengers: 2, cabin: 'business' }],
  ],
  [
    'I want to fly from Paris to Tokyo on 2026-12-24',
    ['book_flight', { origin: 'Paris', destination: 'Tokyo', date: '2026-12-24' }],
  ],
  ['set an alarm for 7:30', ['set_alarm', { time: '7:30' }]],
  ['set an alarm at 6 am called Wake up', ['set_alarm', { time: '6 am', label: 'Wake up' }]],
  [
    'create a user named Ann Lee with email ann@example.com',
    ['create_user', { name: 'Ann Lee', email: 'ann@example.com' }],
  ],
  ['create a user account for Bob Smith, age 42', ['create_user', { name: 'Bob Smith', age: 42 }]],
  ['what is the stock price of AAPL', ['get_stock_price', { symbol: 'AAPL' }]],
  ['get the price of the stock MSFT', ['get_stock_price', { symbol: 'MSFT' }]],
  ['look up order A-1234', ['get_order', { order_id: 'A-1234' }]],
  ['where is my order 98765', ['get_order', { order_id: '98765' }]],
  ['what is the status of order #42', ['get_order', { order_id: '42' }]],
  [
    'monthly payment of a loan of 200000 dollars at 3.5% for 30 years',
    ['loan_payment', { principal: 200_000, rate: 3.5, years: 30 }],
  ],
  [
    'calculate the payment for a $15,000 loan with 5 percent interest over 4 years',
    ['loan_payment', { principal: 15_000, rate: 5, years: 4 }],
  ],
  ['rate the movie "Alien" 9', ['rate_movie', { title: 'Alien', rating: 9 }]],
  ['give the movie Titanic a rating of 7', ['rate_movie', { title: 'Titanic', rating: 7 }]],
  ['set the thermostat to 21 degrees celsius', ['set_temperature', { degrees: 21, unit: 'celsius' }]],
  ['set the temperature to 68 fahrenheit', ['set_temperature', { degrees: 68, unit: 'fahrenheit' }]],
  ['set the thermostat to 19.5', ['set_temperature', { degrees: 19.5 }]],
  ['find employee Smith', ['find_employee', { last_name: 'Smith' }]],
  ['transfer 50 dollars to Ann', ['transfer_money', { amount: 50, to: 'Ann' }]],
  ['transfer $1,250.75 to Kim', ['transfer_money', { amount: 1250.75, to: 'Kim' }]],
  ['area of a rectangle with width 4 and height 5', ['calculate_area', { width: 4, height: 5 }]],
  ['calculate the area of a rectangle 3 by 7', ['calculate_area', { width: 3, height: 7 }]],
  ['what is the area of a rectangle that is 2.5 wide and 4 high', ['calculate_area', { width: 2.5, height: 4 }]],
  ['how far is it from Berlin to Munich', ['get_distance', { from: 'Berlin', to: 'Munich' }]],
  ['distance between Paris and Lyon', ['get_distance', { from: 'Paris', to: 'Lyon' }]],
  ['distance from New York, USA to Boston', ['get_distance', { from: 'New York, USA', to: 'Boston' }]],
  ['list comedy movies of 1999', ['movies_of_year', { year: 1999, genre: 'comedy' }]],
  ['which movies came out in 2010', ['movies_of_year', { year: 2010 }]],
  ['horror movies from the year 1980', ['movies_of_year', { year: 1980, genre: 'horror' }]],
  ['book a flight'],
  ['set an alarm'],
  ['transfer money'],
  ['rate it 11'],
  ['what movies do you like'],
]

const engine = offlineEngine()

test.each(rows.map(([request, ...expected]) => ({ request, expected })))('$request', ({ request, expected }) => {
  const asked: CompletionRequest = {
    model: 'offline',
    messages: [{ role: 'user', content: [{ type: 'text', text: request }] }],
    tools,
  }
  expect(engine(asked).toolCalls.map((call) => [call.name, argsOf(call)])).toEqual(expected)
})

describe('a parameter is read from its schema', () => {
  const read = (schema: Json, definitions: JsonObject = {}) => {
    const inputSchema: JsonObject = { type: 'object', properties: { it: schema }, required: ['it'], ...definitions }
    const [parameter] = parametersOf({ name: 'a_tool', description: '', inputSchema })
    return parameter
  }

  test.each<[string, Json, object]>([
    ['a type', { type: 'integer' }, { type: 'integer', nullable: false, required: true }],
    ['a type or null', { type: ['null', 'boolean'] }, { type: 'boolean', nullable: true }],
    [
      'null first, as an alternative',
      { anyOf: [{ type: 'null' }, { type: 'number', minimum: 2 }] },
      { type: 'number', nullable: true, minimum: 2 },
    ],
    [
      'alternatives',
      { oneOf: [{ type: 'string', format: 'date' }, { type: 'number' }] },
      { type: 'string', nullable: false, format: 'date' },
    ],
    [
      'one condition',
      { allOf: [{ type: 'number', maximum: 9 }], description: 'How many' },
      { type: 'number', maximum: 9, description: 'How many' },
    ],
    ['choices', { enum: ['a', 'b'] }, { type: 'string', choices: ['a', 'b'] }],
    ['choices of numbers', { enum: [1, 2] }, { type: 'number', choices: [1, 2] }],
    ['one choice', { const: true }, { type: 'boolean', choices: [true] }],
    ['a default', { type: 'string', default: 'x' }, { type: 'string', fallback: 'x' }],
    [
      'members',
      { properties: { a: {} } },
      { type: 'object', members: [{ name: 'a', type: 'string', required: false }] },
    ],
    ['items', { items: { type: 'integer' } }, { type: 'array', item: { type: 'integer', name: 'it' } }],
    ['nothing', true, { type: 'string', class: 'other' }],
  ])('%s', (_, schema, expected) => {
    expect(read(schema)).toMatchObject(expected)
  })

  test('no member is there that the schema does not have', () => {
    const bare = read({ type: 'string', default: null, enum: [] })
    for (const member of ['choices', 'fallback', 'format', 'minimum', 'maximum', 'item', 'members']) {
      expect([member, member in (bare ?? {})]).toEqual([member, false])
    }
  })

  test('references are followed, and their words may be replaced', () => {
    const $defs = { city: { type: 'string', description: 'A city', minLength: 1 }, loop: { $ref: '#/$defs/loop' } }
    expect(read({ $ref: '#/$defs/city' }, { $defs })).toMatchObject({
      type: 'string',
      description: 'A city',
      class: 'place',
    })
    expect(read({ $ref: '#/$defs/city', description: 'Home' }, { $defs })).toMatchObject({
      type: 'string',
      description: 'Home',
    })
    expect(read({ $ref: '#/$defs/loop' }, { $defs })).toMatchObject({ type: 'string' })
    expect(read({ $ref: '#/$defs/none' }, { $defs })).toMatchObject({ type: 'string' })
  })

  test.each<[name: string, description: string, kind: string]>([
    ['userEmail', '', 'email'],
    ['website', '', 'url'],
    ['file_name', '', 'path'],
    ['timezone', '', 'place'],
    ['dueDate', '', 'date'],
    ['start_time', '', 'time'],
    ['city', '', 'place'],
    ['target_language', '', 'language'],
    ['currency', '', 'currency'],
    ['unit', '', 'unit'],
    ['expression', '', 'expression'],
    ['query', '', 'query'],
    ['body', '', 'message'],
    ['subject', '', 'title'],
    ['orderId', '', 'id'],
    ['firstName', '', 'person'],
    ['name', '', 'name'],
    ['x', 'The city to look at', 'place'],
    ['x', 'The name of somebody', 'other'],
    ['x', `${'so '.repeat(30)}city`, 'other'],
    ['x', '', 'other'],
  ])('%s (%s) is a %s', (name, description, kind) => {
    const inputSchema = { type: 'object', properties: { [name]: { type: 'string', description } } }
    expect(parametersOf({ name: 'a_tool', description: '', inputSchema })[0]).toMatchObject({
      name,
      class: kind,
      required: false,
    })
  })
})
