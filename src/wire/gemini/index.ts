// The Gemini wire (`generateContent`, `streamGenerateContent`) of the Gemini API and Vertex.
import type { Codec } from '../codec.js'
import { geminiClient } from './client.js'
import { encode as encodeError } from './error.js'
import { outcome } from './outcome.js'
import { decode as decodeRequest } from './request.js'
import { encode as encodeResponse } from './response.js'
import { encode as encodeStream } from './stream.js'

export const geminiCodec: Codec = {
  ...geminiClient,
  request: { ...geminiClient.request, decode: decodeRequest },
  response: { ...geminiClient.response, encode: encodeResponse, outcome },
  stream: { ...geminiClient.stream, encode: encodeStream },
  error: { ...geminiClient.error, encode: encodeError },
}
