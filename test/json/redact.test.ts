import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/json/redact.js'

/** A made-up key, put together here so that no scanner takes this file for a leak. */
const made = (prefix: string, length = 24): string => prefix + 'aB3dE5gH7jK9'.repeat(9).slice(0, length)

const token = [made('eyJ'), made('eyJ'), made('x')].join('.')
const pem = ['-----BEGIN', ' RSA PRIVATE KEY-----\nMIIB\nabc=\n-----END', ' RSA PRIVATE KEY-----'].join('')

describe('redact takes away', () => {
  it.each([
    [
      'the key in a provider message',
      `Incorrect API key provided: ${made('sk-proj-')}. Find yours`,
      'Incorrect API key provided: [redacted]. Find yours',
    ],
    [
      'keys by prefix',
      ['sk-ant-api03-', 'xai-', 'AIza', 'ghp_', 'github_pat_', 'gsk_', 'hf_', 'xoxb-']
        .map((start) => made(start))
        .join(' '),
      Array(8).fill('[redacted]').join(' '),
    ],
    ['an AWS key id', `id ${'AKIA'}IOSFODNN7EXAMPLE!`, 'id [redacted]!'],
    ['short keys with a digit', `${'sk'}-test-1234`, '[redacted]'],
    ['a bearer token', `got Bearer ${made('')} from`, 'got Bearer [redacted] from'],
    ['an authorization header', 'Authorization: Bearer abc.def.ghi', 'Authorization: Bearer [redacted]'],
    ['basic credentials', 'authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['a password in a query', 'GET /x?user=a&password=hunter&b=1', 'GET /x?user=a&password=[redacted]&b=1'],
    ['several in a row', 'password=abc token=def secret=ghi', 'password=[redacted] token=[redacted] secret=[redacted]'],
    ['a key in a query', 'https://host/v1?key=abcdef&alt=sse', 'https://host/v1?key=[redacted]&alt=sse'],
    [
      'header and settings lines',
      'x-api-key: abc123def\napi_key: hunter\nOPENAI_API_KEY=abc',
      'x-api-key: [redacted]\napi_key: [redacted]\nOPENAI_API_KEY=[redacted]',
    ],
    [
      'JSON members',
      '{"apiKey":"a b","client_secret": "x\\"y","token":"z","n":1}',
      '{"apiKey":"[redacted]","client_secret": "[redacted]","token":"[redacted]","n":1}',
    ],
    [
      'JSON in JSON',
      '{"body":"{\\"api_key\\":\\"abc\\",\\"n\\":1}"}',
      '{"body":"{\\"api_key\\":\\"[redacted]\\",\\"n\\":1}"}',
    ],
    [
      'credentials in a URL',
      'postgres://me:p@ss@db:5432/x and redis://:pw@host',
      'postgres://me:[redacted]@db:5432/x and redis://:[redacted]@host',
    ],
    ['a PEM block', `key:\n${pem}\nend`, 'key:\n[redacted]\nend'],
    ['a PEM block that was cut', `key ${pem.slice(0, 40)}`, 'key [redacted]'],
    ['a JSON web token', `jwt ${token} end`, 'jwt [redacted] end'],
  ])('%s', (_name, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('the given secrets, as they are and as JSON or a URL spells them', () => {
    const secret = 'pa"ss w&rd'
    const text = `a ${secret} b ${JSON.stringify(secret)} c ${encodeURIComponent(secret)}`
    expect(redact(text, [secret])).toBe('a [redacted] b "[redacted]" c [redacted]')
    expect(redact('abcd-efgh abcd', ['abcd', 'abcd-efgh'])).toBe('[redacted] [redacted]')
    expect(redact('lone \ud800abc', ['\ud800abc'])).toBe('lone [redacted]')
  })
})

describe('redact leaves', () => {
  it.each([
    'The tool failed because the city "Boston" was not found; try another one.',
    'Unexpected token: } in JSON at position 5',
    'token: expected a string, got a number',
    'password: must be at least 8 characters',
    'Bearer authentication is required; basic authentication is not supported.',
    'Basic understanding of bearer bonds',
    'max_tokens: 1000, token=12, tokens=5, total_tokens: 123456',
    'if (token === undefined) return token => 1',
    'password=null, secret: undefined, api_key=""',
    '/home/user/project/src/task-runner-2024/risk-based-decision-123456.ts',
    'C:\\Users\\me\\token\\file.txt',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'id 123e4567-e89b-12d3-a456-426614174000',
    'https://example.com:8080/path?x=1#y and ssh://git@github.com/a/b.git and me@example.com',
    'PWD=/home/user',
    'sk-learn is short for scikit-learn; disk-1234567890 is a disk',
    'call_abc123def456 toolu_01A09q90qw90lq917835lq9 chatcmpl-9abcDEF msg_013Zva2CMHLNnXjNJJKqJ2EF',
    '{"input_tokens":12,"output_tokens":34}',
    '',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })

  it('secrets too short to be any', () => {
    expect(redact('x marks the spot', ['', 'x', 'the'])).toBe('x marks the spot')
  })
})

it('redacting twice changes nothing more', () => {
  const word = fc.constantFrom(
    'password',
    'token',
    'api_key',
    '=',
    ': ',
    '"',
    "'",
    ' ',
    '\n',
    'Bearer ',
    'abc123',
    'sk-',
    made('sk-'),
    ' x://a:b@c ',
    '\\',
    'authorization',
    ',',
    '[',
    ']',
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const once = redact(words.join(''))
      expect(redact(once)).toBe(once)
    }),
    { numRuns: 1_000 },
  )
})

it('takes linear time on hostile text', () => {
  const starts = [
    'sk-',
    'eyJ',
    'eyJaaaaaa.',
    'password="',
    'password=\\',
    '://a:',
    '://a@',
    'Bearer ',
    'AIza',
    'token: ',
    '-----BEGIN ',
    'authorization: ',
    'password   ',
    "pwd='",
    'a',
    ' ',
    '"',
    '\\',
  ]
  for (const start of starts) {
    const text = start.repeat(Math.ceil(500_000 / start.length))
    const began = performance.now()
    redact(text)
    expect(performance.now() - began, start).toBeLessThan(1_500)
  }
})
