export type {
  Approval,
  ApprovalDecision,
  ApprovalId,
  ApprovalRequest,
  ConversationEvent,
  ConversationId,
  ConversationState,
  ConversationSummary,
  Cursor,
  Envelope,
  EventOf,
  Failure,
  InputItem,
  Item,
  ItemId,
  ItemOf,
  ListedConversation,
  MessageId,
  Overrides,
  SettingsPatch,
  TokenCounts,
  TurnId,
} from '@parley/protocol'
export { type ConnectOptions, connect } from './connect.ts'
export type { CheckResult } from './connection/client.ts'
export { ClientError, type ClientErrorCode, codeOf, isConnectionOver } from './connection/errors.ts'
export type { ApprovalAnswer, ApprovalHandler, ApprovalOptions } from './conversation/answer-approvals.ts'
export type { Conversation, ConversationMethod, EventsOptions } from './conversation/conversation.ts'
export type { StoreListener } from './conversation/conversation-store.ts'
export type { LeaveOutOptions, MessageInput, SendOptions } from './conversation/conversation-turns.ts'
export type { Turn, TurnResult } from './conversation/turn.ts'
export type { CreateOptions, Parley, ResumeOptions, Which } from './parley.ts'
export { promptHistoryPath } from './server/find-server.ts'
export type { SeveralServers, SpawnTarget, Target } from './server/link.ts'
export type { ServerExit, ServerProcess, SpawnServerOptions } from './server/server-process.ts'
export { hasNoStorage, type SpawnedServer, serverOn, spawnServer } from './server/spawn-server.ts'
export type { LinkState } from './team/lasting-client.ts'
