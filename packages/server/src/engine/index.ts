/** All of the engine that frontends, programs and listeners import; a layering test holds it. */
export type { Conversation } from './conversation/conversation.ts'
export type { ServerIdentity } from './diagnostics.ts'
export { createEngine, type Engine, type EngineParts } from './engine.ts'
export type { Ceiling, CeilingFlags } from './limits/ceiling.ts'
export { sweepScratch } from './limits/scratch.ts'
export type { LiveConversation } from './open/live-conversation.ts'
export { createModelSources } from './settings/model-sources.ts'
