// The Anthropic Messages wire: eight functions, the vendors on it, and what it demands of a history.
import type { Codec } from '../codec.js'
import { anthropicClient } from './client.js'
import { encode as encodeError } from './error.js'
import { outcome } from './outcome.js'
import { decode as decodeRequest } from './request-decode.js'
import { encode as encodeResponse } from './response-encode.js'
import { encode as encodeStream } from './stream-encode.js'

export const anthropicCodec: Codec = {
  ...anthropicClient,
  request: { ...anthropicClient.request, decode: decodeRequest },
  response: { ...anthropicClient.response, encode: encodeResponse, outcome },
  stream: { ...anthropicClient.stream, encode: encodeStream },
  error: { ...anthropicClient.error, encode: encodeError },
}
