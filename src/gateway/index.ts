// toolwire/gateway: any client in, any provider out.

export type { AroundRequest, ArrivedRequest } from './around.js'
export type { Answer, Arrival, Handler, Piece } from './arrival.js'
export { type GatewayConfig, readConfig } from './config.js'
export { configSchema } from './config-schema.js'
export { type CreatedGateway, createGateway, type Gateway } from './gateway.js'
export { memoryLimiter } from './memory-limiter.js'
export type {
  Admission,
  ClientKey,
  GatewayLimits,
  GatewayLogRecord,
  GatewayOptions,
  GatewayRoute,
  KeyLimits,
  Limiter,
  Target,
} from './options.js'
export { type GatewayState, gatewayState } from './state.js'
