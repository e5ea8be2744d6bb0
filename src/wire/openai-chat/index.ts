// The OpenAI Chat Completions wire: eight functions, the vendors on it, and what it demands of a history.
import { mappedResponse, mappedStream } from '../answer-mapping.js'
import type { Codec } from '../codec.js'
import { decode as decodeError, encode as encodeError } from './error.js'
import { profiles } from './profiles.js'
import { encode as encodeRequest, seal } from './request.js'
import { decode as decodeRequest } from './request-decode.js'
import { decode as decodeResponse } from './response.js'
import { encode as encodeResponse } from './response-encode.js'
import { decode as decodeStream } from './stream.js'
import { encode as encodeStream } from './stream-encode.js'
import { wire } from './types.js'

export const openaiChatCodec: Codec = {
  wire,
  profiles,
  seal,
  request: { encode: encodeRequest, decode: decodeRequest },
  response: { encode: encodeResponse, decode: mappedResponse(decodeResponse) },
  stream: { encode: encodeStream, decode: mappedStream(decodeStream) },
  error: { encode: encodeError, decode: decodeError },
}
