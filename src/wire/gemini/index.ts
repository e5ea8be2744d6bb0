// The Gemini wire (`generateContent`, `streamGenerateContent`) of the Gemini API and Vertex.
import { mappedResponse, mappedStream } from '../answer-mapping.js'
import type { Codec } from '../codec.js'
import * as error from './error.js'
import { profiles } from './profiles.js'
import * as request from './request.js'
import * as response from './response.js'
import * as stream from './stream.js'
import { wire } from './types.js'

export const geminiCodec: Codec = {
  wire,
  profiles,
  seal: request.seal,
  request: { encode: request.encode, decode: request.decode },
  response: { encode: response.encode, decode: mappedResponse(response.decode) },
  stream: { encode: stream.encode, decode: mappedStream(stream.decode) },
  error: { encode: error.encode, decode: error.decode },
}
