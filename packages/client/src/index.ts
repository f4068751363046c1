export type {
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  ConversationEvent,
  ConversationState,
  ConversationSummary,
  Cursor,
  Envelope,
  EventOf,
  Failure,
  InputItem,
  Item,
  ItemOf,
  ListedConversation,
  Overrides,
  SettingsPatch,
  TokenCounts,
} from '@parley/protocol'
export { type ConnectOptions, connect } from './connect.ts'
export {
  type Client,
  type ClientInfo,
  type ClientOptions,
  connectClient,
  type Introduction,
} from './connection/client.ts'
export { ClientError, type ClientErrorCode, codeOf } from './connection/errors.ts'
export {
  joinConversation,
  type Owner,
  type ResumedConversation,
  requestWhereItLives,
  resumeConversation,
} from './connection/resume-conversation.ts'
export { withinLimit } from './connection/within-limit.ts'
export type { ApprovalAnswer, ApprovalHandler, ApprovalOptions } from './conversation/answer-approvals.ts'
export type { Conversation, EventsOptions, SendOptions } from './conversation/conversation.ts'
export { type ConversationStore, openConversationStore, type StoreListener } from './conversation/conversation-store.ts'
export type { Turn, TurnResult } from './conversation/turn.ts'
export type { CreateOptions, Parley, ResumeOptions, Which } from './parley.ts'
export { discardServer, type Leaving, leaveServer } from './server/leave-server.ts'
export type { SpawnTarget, Target } from './server/link.ts'
export {
  explainExit,
  type ServerExit,
  type SpawnedServer,
  type SpawnServerOptions,
  spawnServer,
} from './server/spawn-server.ts'
