export { type ProviderConfig, readKey } from './exchange/endpoint.ts'
export type { Environment } from './http/http-agents.ts'
export type { ModelCall, ModelEntry, UserPart } from './port/model-request.ts'
export {
  type JsonSchemaObject,
  type ModelClient,
  type ModelEvent,
  type ModelFailure,
  type ModelListing,
  type ModelRequest,
  type TokenUsage,
  type ToolSpec,
  ZERO_USAGE,
} from './port/model-client.ts'
export { probeLocal } from './probe-local.ts'
export { builtinProviders, createModelClient, PROVIDER_DEFAULTS } from './registry.ts'
export { createRecordedClient } from './wires/recorded/wire.ts'
export { createRecorder } from './wires/recorded/recorder.ts'
export { planRetry, type RetryLimits } from './failures/retry-plan.ts'
