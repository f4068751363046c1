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
export { type Client, type ClientInfo, type ClientOptions, connectClient, type Introduction } from './client.ts'
export { type ConnectOptions, connect } from './connect.ts'
export type { Owner } from './connect-owner.ts'
export type { ApprovalAnswer, ApprovalHandler, ApprovalOptions } from './conversation/answer-approvals.ts'
export type { Conversation, EventsOptions, SendOptions } from './conversation/conversation.ts'
export type { Turn, TurnResult } from './conversation/turn.ts'
export { type ConversationStore, openConversationStore, type StoreListener } from './conversation-store.ts'
export { ClientError, type ClientErrorCode, codeOf } from './errors.ts'
export { discardServer, type Leaving, leaveServer } from './leave-server.ts'
export type { SpawnTarget, Target } from './link.ts'
export type { CreateOptions, Parley, ResumeOptions, Which } from './parley.ts'
export {
  joinConversation,
  type ResumedConversation,
  requestWhereItLives,
  resumeConversation,
} from './resume-conversation.ts'
export {
  explainExit,
  type ServerExit,
  type SpawnedServer,
  type SpawnServerOptions,
  spawnServer,
} from './spawn-server.ts'
export { withinLimit } from './within-limit.ts'
