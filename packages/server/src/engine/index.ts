/** Exports of the engine for frontends, programs and listeners; the layering test rejects any other import. */

export type { EditorTexts } from '../ports/editor-texts.ts'
export type { Conversation } from './conversation/conversation.ts'
export type { ServerIdentity } from './diagnostics.ts'
export { createEngine, type Engine, type EngineParts } from './engine.ts'
export { type Ceiling, type CeilingFlags, firstExcess } from './limits/ceiling.ts'
export { sweepLeftovers } from './limits/scratch.ts'
export { configuredFetch } from './login/configured-fetch.ts'
export { createProviderKeys } from './login/provider-keys.ts'
export type { LiveConversation } from './open/live-conversation.ts'
export { createSearchThread } from './search/search-thread.ts'
export { createModelSources } from './settings/model-sources.ts'
export { packagePlace } from './settings/plugin-provider.ts'
