// The door `toolwire/otel`: the only folder that knows OpenTelemetry.
export { type Telemetry, type TelemetryOptions, telemetry } from './telemetry.js'
