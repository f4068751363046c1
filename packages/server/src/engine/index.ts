/** Exports of the engine for frontends, programs and listeners; the layering test rejects any other import. */
export type { Conversation } from './conversation/conversation.ts'
export type { ServerIdentity } from './diagnostics.ts'
export { createEngine, type Engine, type EngineParts } from './engine.ts'
export type { Ceiling, CeilingFlags } from './limits/ceiling.ts'
export { sweepScratch } from './limits/scratch.ts'
export { createProviderKeys } from './login/provider-keys.ts'
export type { LiveConversation } from './open/live-conversation.ts'
export { createModelSources } from './settings/model-sources.ts'
