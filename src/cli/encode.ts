// `toolwire encode`: canonical requests → the HTTP request of a wire.
import { decodeRequest } from '../conversation/stored-request.js'
import { bodyText } from '../frames/body.js'
import { RawJson } from '../json/stringify.js'
import { type WireOptions, wireEnv } from './answers.js'
import type { Answer, Line } from './lines.js'

export function encodeLine({ record }: Line, options: WireOptions & { readonly stream: boolean }): Answer {
  const { codec, env } = wireEnv(options)
  const { http, losses } = codec.request.encode(decodeRequest(record.request), { stream: options.stream }, env)
  const { method, path, headers } = http
  return {
    ok: true,
    http: { method, path, headers, body: new RawJson(bodyText(http.body)) },
    losses,
  }
}
