export { credibleFacts } from './catalogue/listed-facts.ts'
export { costOf, type ModelAbilities, type ModelFacts, modelFacts, type Price } from './catalogue/model-facts.ts'
export { checkNetwork, type NetworkStep } from './check/check-network.ts'
export { keyVariable, readKey } from './exchange/endpoint.ts'
export { askedWaitText, planNetworkWait, planRetry, type RetryLimits } from './failures/plan-retry.ts'
export { createNetworkFetch } from './http/network-fetch.ts'
export { type ImageLimits, imageLimitsOf } from './image-limits.ts'
export type { PluginPorts } from './port/client-ports.ts'
export { foldGrowing } from './port/growing-list.ts'
export {
  type FreeformInput,
  type JsonSchemaObject,
  type ListedFacts,
  type ModelCall,
  type ModelClient,
  type ModelEntry,
  type ModelEvent,
  type ModelFailure,
  type ModelListing,
  type ModelRequest,
  type ResultEntry,
  type TokenUsage,
  type ToolSpec,
  type UserPart,
  zeroUsage,
} from './port/model-client.ts'
export type { Env } from './port/provider.ts'
export type { ToolRules } from './port/tool-rules.ts'
export { builtinProviders, type ProviderConfig, providerDefaults } from './providers.ts'
export { createModelClient, probeLocal } from './registry.ts'
export { fitTool } from './tool-schemas/fit-tool.ts'
export { originalArguments } from './tool-schemas/plain-names.ts'
export { createRecorder } from './wires/recorded/recorder.ts'
