// Ollama's native chat API, /api/chat, in both directions.
import type { Codec } from '../codec.js'
import * as error from './error.js'
import { profiles } from './profiles.js'
import * as request from './request.js'
import * as response from './response.js'
import * as stream from './stream.js'
import { wire } from './types.js'

export const ollamaCodec: Codec = {
  wire,
  profiles,
  seal: request.seal,
  request: { encode: request.encode, decode: request.decode },
  response: { encode: response.encode, decode: response.decode },
  stream: { encode: stream.encode, decode: stream.decode },
  error: { encode: error.encode, decode: error.decode },
}
