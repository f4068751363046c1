export { type ProviderConfig, readKey } from './endpoint.ts'
export type { Environment } from './http-agents.ts'
export type { ModelCall, ModelEntry, UserPart } from './model-request.ts'
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
} from './port.ts'
export { probeLocal } from './probe-local.ts'
export { builtinProviders, createModelClient, PROVIDER_DEFAULTS } from './providers.ts'
export { createRecordedClient } from './recorded.ts'
export { createRecorder } from './recorder.ts'
export { planRetry, type RetryLimits } from './retry-plan.ts'
