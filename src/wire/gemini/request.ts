// A request, written: model and method in the path, history last in the body, so that what grows stands at the end.
import type { Loss } from '../../conversation/losses.js'
import type { CompletionRequest } from '../../conversation/request.js'
import { type SealedRequest, sealRequest } from '../../conversation/seal-request.js'
import { writeUnicode } from '../../json/stringify.js'
import type { EncodedRequest, Env, Exchange } from '../codec.js'
import { renamed } from '../names.js'
import { requestBodyOf } from '../pieces.js'
import { mappingsOf } from '../schemas.js'
import { type Reader, writeContents, writeSystem } from './history.js'
import { nameRule } from './parts.js'
import { modelIn, modelPath } from './paths.js'
import { type GeminiProfile, schemaDialects, sealRules } from './profiles.js'
import { writeSettings } from './settings.js'
import { writeTools } from './tools.js'
import { wire } from './types.js'

export { decode } from './request-decode.js'

export function seal(request: CompletionRequest, env: Env): SealedRequest {
  return sealRequest(request, sealRules(env.profile as GeminiProfile, request.model))
}

export function encode(request: CompletionRequest, options: { readonly stream: boolean }, env: Env): EncodedRequest {
  const profile = env.profile as GeminiProfile
  const sealed = seal(request, env)
  const losses: Loss[] = [...sealed.losses]
  const { model, messages, tools } = sealed.request
  const path = modelPath(model, options.stream, profile)
  reportModel(model, path, losses)
  const signed = profile.signedModels?.test(model) === true
  const reader: Reader = { profile, signed, key: `${wire}/${profile.name}/${signed}` }
  const [first] = messages
  const system = first?.role === 'system' ? `"systemInstruction":${writeSystem(first, losses)}` : ''
  const settings = writeUnicode(writeSettings(sealed.request, profile, losses)).slice(1, -1)
  const fields = `{${system}${system === '' || settings === '' ? '' : ','}${settings}}`
  const entries = tools === undefined ? [] : [writeTools(tools, profile, losses)]
  const contents = writeContents(messages, reader, losses)
  const body = requestBodyOf(fields, { key: 'tools', items: entries }, { key: 'contents', items: contents })
  const names = renamed(tools, nameRule)
  const exchange: Exchange = {
    wire,
    model,
    provider: profile.name,
    stream: options.stream,
    position: messages.length,
    ...(names === undefined ? {} : { names }),
    ...mappingsOf(sealed.request, schemaDialects(profile), schemaDialects(profile)),
  }
  const headers = { 'content-type': 'application/json' }
  return { http: { method: 'POST', path, headers, body }, losses, exchange }
}

/** A model named by its whole resource is read back by its last name. */
function reportModel(model: string, path: string, losses: Loss[]): void {
  const to = modelIn(path)
  if (to === model) return
  const message = 'the path names the model as a resource; it is read back by its own name'
  losses.push({ code: 'model_changed', wire, path: '/model', kind: 'changed', to, message })
}
