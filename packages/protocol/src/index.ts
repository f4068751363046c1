export { type EndedAccess, endedAccess } from './access/ended-access.ts'
export { localMethods, looseningMethods, type MethodRight, methodRules } from './access/method-rules.ts'
export { offeredTo } from './access/offered-approval.ts'
export {
  type Accessed,
  accessOfNew,
  allRights,
  mayUseMachine,
  type Rights,
  type RightsOfToken,
  rightsToRead,
} from './access/rights.ts'
export {
  actingMethods,
  type ConversationRight,
  machineMethods,
  ownersOf,
  personMay,
  roleHas,
  roleOf,
  writingMethods,
} from './access/role-rights.ts'
export {
  noHomeExitCode,
  noStoreExitCode,
  unsavedExitCode,
  type WireErrorCode,
  type WireErrorDetail,
  wireErrorMeanings,
  wireErrors,
} from './errors.ts'
export { eventProblem, storedEventProblem } from './event-problem.ts'
export { hintsOf, withRecordedFacts } from './facts-in-sentences.ts'
export { type AnswerProblem, answersProblem, type LimitedAnswer } from './form-answers.ts'
export { limits } from './limits.ts'
export { aboveSandboxCeiling, type SandboxCeiling, type SandboxPermissions } from './modes/ceiling.ts'
export { type HookEvent, hookEvents, hookMatches } from './modes/hook-names.ts'
export { isLooser, type PermissionSettings } from './modes/looser.ts'
export {
  type Mode,
  type ModeName,
  modeNamed,
  modeNames,
  modeOf,
  modes,
  modesWithin,
  nextMode,
  pairOf,
} from './modes/modes.ts'
export { samePlace } from './modes/same-place.ts'
export {
  approvalPolicies,
  efforts,
  effortWords,
  isStricterSandbox,
  isUnasked,
  sandboxModes,
  thisMachine,
} from './modes/setting-names.ts'
export { nameForm, namePattern } from './modes/user-names.ts'
export { recover } from './recover/recover.ts'
export { type CutOffHooks, cutOffHooks, lostHooks } from './recover/recover-hooks.ts'
export { type RedactionExceptions, redactionTable } from './redaction-table.ts'
export {
  type AnswerMessages,
  answerAfter,
  answerIn,
  answerOf,
  answerText,
  type Picture,
  picturesOf,
} from './reduce/answer.ts'
export { answeredDecision, permits, unansweredApprovals } from './reduce/approvals.ts'
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
export { settingsInForce } from './reduce/settings-in-force.ts'
export { addTokens, modelInUse, unconfiguredProvider } from './reduce/turns.ts'
export { type ReviewTarget, reviewRequest, shownReviewRequest } from './review/review-request.ts'
export { gravestFirst, isAtLeast, type Severity, severities } from './review/severities.ts'
export type { Access, ClientAccess, Person, Role, SharedLink, UserName } from './schema/access.ts'
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
  CallHint,
  CallKind,
  CallLocation,
  CallOutput,
  ChangedPath,
  DecisionRecord,
  EndedCommand,
  FileChangeEntry,
  Finding,
  PathContent,
  RuleRef,
  RunLimits,
  SandboxBlock,
} from './schema/call-parts.ts'
export type { ConversationEvent, Envelope, EventOf } from './schema/event.ts'
export type {
  Forward,
  LostRange,
  OutputWait,
  Plan,
  StopReason,
  TokenCounts,
  TurnOutcome,
} from './schema/event-parts.ts'
export type { HookRef } from './schema/hook-run.ts'
export type { ApprovalId, ClientId, ConversationId, ItemId, MessageId, RequestKey, TurnId } from './schema/ids.ts'
export type {
  Actor,
  Answers,
  ApprovalDecision,
  ContentItem,
  FieldAnswer,
  InputItem,
  LimitName,
  MessageCall,
  OutputSchema,
  QueuedMessage,
  TurnBudget,
  TurnChecks,
  TurnPurpose,
} from './schema/input.ts'
export type { CallItem, CompactionTrigger, Failure, Item, ItemOf, ItemStatus } from './schema/item.ts'
export type { ListedHook, TriedHook } from './schema/methods/hook-methods.ts'
export type { LoginCompleted } from './schema/methods/login-methods.ts'
export type {
  McpServer,
  MethodName,
  Methods,
  ParamsOf,
  ResultOf,
} from './schema/methods/methods.ts'
export type { ListedUser } from './schema/methods/people-methods.ts'
export type { CheckupFinding, Judgement, TrustReport } from './schema/methods/policy-methods.ts'
export type { FoundPart } from './schema/methods/skill-methods.ts'
export type { Cursor, Overrides, TrustVerdict } from './schema/params/params.ts'
export type { OpenForm } from './schema/redaction-marks.ts'
export type {
  ApprovalPolicy,
  Enforcement,
  ModelChoice,
  SandboxMode,
  Settings,
  SettingsPatch,
} from './schema/settings.ts'
export type {
  CompletedItem,
  ConversationCore,
  ConversationState,
  HooksSaid,
  HooksStarted,
  OpenItem,
  PastTurn,
  RequestResult,
  Turn,
} from './schema/state.ts'
export type {
  ClientsChanged,
  ConnectedClient,
  ConversationSummary,
  LeftFile,
  ListedConversation,
  RewindPlan,
  ServerNotice,
} from './schema/summaries.ts'
export { shortIdOf } from './short-id.ts'
export { type StoredEvent, upgradeEvent } from './upgrade-event.ts'
export { eventVersion, protocolVersions, reducerVersion } from './version.ts'
