export { unsavedExitCode, type WireErrorCode, type WireErrorDetail, wireErrorMeanings, wireErrors } from './errors.ts'
export { eventProblem } from './event-problem.ts'
export { limits } from './limits.ts'
export { localMethods, type MethodAccess, methodAccess } from './method-access.ts'
export { recover } from './recover.ts'
export { type RedactionExceptions, redactionTable } from './redaction-table.ts'
export { backgroundLost, goesOn } from './reduce/background.ts'
export { initialState, noTokens } from './reduce/conversation.ts'
export { chainDigest } from './reduce/digest.ts'
export {
  completedBy,
  interruptedCompaction,
  isCall,
  standingOutcome,
  titleOf,
  windowLimit,
  withoutOutcome,
} from './reduce/items.ts'
export { reduce } from './reduce/reduce.ts'
export { addTokens, modelInUse, unconfiguredProvider } from './reduce/turns.ts'
export type {
  AlwaysRule,
  Approval,
  ApprovalKind,
  ApprovalRequest,
  AskedFile,
  Form,
  FormField,
} from './schema/approval.ts'
export type {
  ConversationEvent,
  Envelope,
  EventOf,
  LostRange,
  Plan,
  StopReason,
  TokenCounts,
  TurnOutcome,
} from './schema/event.ts'
export type { ApprovalId, ClientId, ConversationId, ItemId, MessageId, RequestKey, TurnId } from './schema/ids.ts'
export type {
  Actor,
  Answer,
  Answers,
  ApprovalDecision,
  ContentItem,
  InputItem,
  LimitName,
  OutputSchema,
  QueuedMessage,
  TurnBudget,
} from './schema/input.ts'
export type {
  CallItem,
  CallKind,
  CallLocation,
  ChangedPath,
  CompactionTrigger,
  DecisionRecord,
  EndedCommand,
  Failure,
  FileChangeEntry,
  Item,
  ItemOf,
  ItemStatus,
  Output,
  PathContent,
  RuleRef,
  RunLimits,
  SandboxBlock,
} from './schema/item.ts'
export type { LoginCompleted } from './schema/login.ts'
export type {
  McpServer,
  MethodName,
  Methods,
  ParamsOf,
  ResultOf,
} from './schema/method.ts'
export type { ClientAccess, Cursor, Overrides, TrustVerdict } from './schema/params.ts'
export type { Check, Judgement, TrustReport } from './schema/policy.ts'
export type { OpenForm } from './schema/redaction-marks.ts'
export type {
  ApprovalPolicy,
  Enforcement,
  ModelChoice,
  SandboxMode,
  Settings,
  SettingsPatch,
} from './schema/settings.ts'
export type { CompletedItem, ConversationState, Core, OpenItem, PastTurn, RequestResult, Turn } from './schema/state.ts'
export type {
  ClientsChanged,
  ConnectedClient,
  ConversationSummary,
  LeftFile,
  ListedConversation,
  RewindPlan,
  ServerNotice,
} from './schema/summaries.ts'
export { type StoredEvent, upgradeEvent } from './upgrade-event.ts'
export { eventVersion, protocolVersions, reducerVersion } from './version.ts'
