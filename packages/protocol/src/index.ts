export { type MethodAccess, methodAccess } from './access.ts'
export { chainDigest } from './digest.ts'
export { type WireErrorCode, type WireErrorDetail, wireErrorMeanings, wireErrors } from './errors.ts'
export { initialState, noTokens } from './initial-state.ts'
export { recover } from './recover.ts'
export { isCall, standingOutcome, withoutOutcome } from './reduce/items.ts'
export { addTokens } from './reduce/turns.ts'
export { reduce } from './reduce.ts'
export type { ClientAccess } from './schema/access.ts'
export type { Answer, Answers, ApprovalDecision } from './schema/answer.ts'
export type {
  AlwaysRule,
  Approval,
  ApprovalKind,
  ApprovalRequest,
  AskedFile,
  Form,
  FormField,
} from './schema/approval.ts'
export type { Cursor } from './schema/cursor.ts'
export type { ConnectedClient } from './schema/diagnostics.ts'
export type { ConversationEvent, Envelope, EventOf, LostRange, Plan, TurnOutcome } from './schema/event.ts'
export type { Actor, ContentItem, InputItem, OutputSchema, QueuedMessage } from './schema/input.ts'
export type {
  CallItem,
  DecisionRecord,
  FileChangeEntry,
  Item,
  ItemOf,
  ItemStatus,
  Output,
  RuleRef,
  RunLimits,
  SandboxBlock,
} from './schema/item.ts'
export type { ConversationSummary, ListedConversation } from './schema/listed-conversation.ts'
export type {
  McpServer,
  MethodName,
  Methods,
  ParamsOf,
  ResultOf,
  ServerNotice,
} from './schema/method.ts'
export type { Overrides } from './schema/params.ts'
export type { Check, Judgement } from './schema/policy.ts'
export type { ApprovalPolicy, Enforcement, SandboxMode, Settings, SettingsPatch } from './schema/settings.ts'
export type { CompletedItem, ConversationState, Core, OpenItem, RequestResult, Turn } from './schema/state.ts'
export type { TrustReport } from './schema/trust.ts'
export type { TrustVerdict } from './schema/trust-verdict.ts'
export type { Failure, TokenCounts } from './schema/usage.ts'
export { protocolVersions, reducerVersion } from './version.ts'
