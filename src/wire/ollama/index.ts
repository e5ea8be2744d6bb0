// Ollama's native chat API, /api/chat, in both directions.
import type { Codec } from '../codec.js'
import { ollamaClient } from './client.js'
import { encode as encodeError } from './error.js'
import { decode as decodeRequest } from './request.js'
import { encode as encodeResponse } from './response.js'
import { encode as encodeStream } from './stream.js'

export const ollamaCodec: Codec = {
  ...ollamaClient,
  request: { ...ollamaClient.request, decode: decodeRequest },
  response: { ...ollamaClient.response, encode: encodeResponse },
  stream: { ...ollamaClient.stream, encode: encodeStream },
  error: { ...ollamaClient.error, encode: encodeError },
}
