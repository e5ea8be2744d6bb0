// The OpenAI Chat Completions wire: eight functions, the vendors on it, and what it demands of a history.
import type { Codec } from '../codec.js'
import { openaiChatClient } from './client.js'
import { encode as encodeError } from './error.js'
import { decode as decodeRequest } from './request-decode.js'
import { encode as encodeResponse } from './response-encode.js'
import { encode as encodeStream } from './stream-encode.js'

export const openaiChatCodec: Codec = {
  ...openaiChatClient,
  request: { ...openaiChatClient.request, decode: decodeRequest },
  response: { ...openaiChatClient.response, encode: encodeResponse },
  stream: { ...openaiChatClient.stream, encode: encodeStream },
  error: { ...openaiChatClient.error, encode: encodeError },
}
