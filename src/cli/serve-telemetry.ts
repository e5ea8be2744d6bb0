// Spans of `toolwire serve`, for the OpenTelemetry SDK that the process was started with (`NODE_OPTIONS=--import …`).
import type { AroundRequest } from '../gateway/around.js'

/** Nothing when OpenTelemetry is not installed, or nobody has set it up. */
export async function requestTracing(): Promise<AroundRequest | undefined> {
  try {
    const [{ telemetry }, { hasProvider }] = await Promise.all([
      import('../otel/index.js'),
      import('../otel/traced-request.js'),
    ])
    return hasProvider() ? telemetry().request : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
