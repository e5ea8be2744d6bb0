// The half of the wire that a client needs. A program that asks one provider loads no more of the wires than this.
import { mappedResponse, mappedStream } from '../answer-mapping.js'
import type { ClientCodec } from '../codec.js'
import { decode as decodeError } from './error.js'
import { profiles } from './profiles.js'
import { encode, seal } from './request.js'
import { decode as decodeResponse } from './response.js'
import { decode as decodeStream } from './stream.js'
import { wire } from './types.js'

export const anthropicClient: ClientCodec = {
  wire,
  profiles,
  seal,
  request: { encode },
  response: { decode: mappedResponse(decodeResponse) },
  stream: { decode: mappedStream(decodeStream) },
  error: { decode: decodeError },
}
