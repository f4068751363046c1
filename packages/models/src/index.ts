export { readKey } from './exchange/endpoint.ts'
export { planRetry, type RetryLimits } from './failures/retry-plan.ts'
export {
  type ModelClient,
  type ModelEvent,
  type ModelFailure,
  type ModelListing,
  type TokenUsage,
  zeroUsage,
} from './port/model-client.ts'
export type { JsonSchemaObject, ModelCall, ModelEntry, ModelRequest, ToolSpec, UserPart } from './port/model-request.ts'
export { type Environment, providerDefaults } from './port/wire.ts'
export { builtinProviders, createModelClient, type ProviderConfig, probeLocal } from './registry.ts'
export { createRecorder } from './wires/recorded/recorder.ts'
