// The codec of the OpenAI Responses wire.
import type { Codec } from '../codec.js'
import { openaiResponsesClient } from './client.js'
import { encode as encodeError } from './error.js'
import { outcome } from './outcome.js'
import { decode as decodeRequest } from './request-decode.js'
import { encode as encodeResponse } from './response-encode.js'
import { encode as encodeStream } from './stream-encode.js'

export const openaiResponsesCodec: Codec = {
  ...openaiResponsesClient,
  request: { ...openaiResponsesClient.request, decode: decodeRequest },
  response: { ...openaiResponsesClient.response, encode: encodeResponse, outcome },
  stream: { ...openaiResponsesClient.stream, encode: encodeStream },
  error: { ...openaiResponsesClient.error, encode: encodeError },
}
