// The door `toolwire/testing`.
export { type CassetteOptions, cassette } from './cassette.js'
export type { ChatDefect } from './chat-defects.js'
export type { Misbehave, Misbehaviour } from './misbehaviour.js'
export type { Engine, ProviderScript } from './provider-script.js'
export { type ProviderServer, providerServer } from './provider-server.js'
export type { ProviderRequest, ProviderServerOptions } from './provider-state.js'
export { type Script, type ScriptedModel, type ScriptedOptions, scriptedModel } from './scripted-model.js'
export type { ScriptedBrokenCall, ScriptedCall, ScriptedTurn, Turn } from './scripted-turn.js'
