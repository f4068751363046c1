import { createHash } from 'node:crypto'
import {
  blockNotice,
  type DecideSettings,
  type Decision,
  decide,
  explainDecision,
  type Facts,
  type Grant,
  hasOwnLimits,
  type Rules,
  retryAfter,
  sandboxLimits,
  withoutNeedlessRequest,
} from '@parley/policy'
import {
  type Approval,
  type ApprovalRequest,
  answeredDecision,
  type CallItem,
  type ConversationState,
  type DecisionRecord,
  type HooksSaid,
  type ItemOf,
  type RunLimits,
  type SandboxBlock,
  type SandboxMode,
  settingsInForce,
  withoutOutcome,
} from '@parley/protocol'
import { withHint } from '../core/view/hints.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { ReadyCall, ToolOutcome } from '../tools/contract/tool.ts'

/** Reason why an earlier yes does not count. */
export type AskedAgain = NonNullable<ApprovalRequest['askedAgain']>

/** Execution of a call as policy judges it: the first, or the retry with more rights after a sandbox block. */
export interface RunAttempt {
  readonly number: 1 | 2
  readonly facts: Facts
  readonly decision: Decision
  readonly limits: RunLimits
  /** Reason why an earlier yes does not count; absent without one. */
  readonly askedAgain?: AskedAgain
}

/** Exact plan of a run, with the facts about it. */
export interface PlannedRun {
  readonly facts: Facts
  readonly plan: ReadyCall
}

/** Everything besides the call that its next step depends on. Read anew before each step. */
export interface CallPolicy {
  readonly state: ConversationState
  readonly rules: Rules
  readonly sessionGrants: readonly Grant[]
  /** Returns true for a yes that was given to a server of this home. */
  readonly isOwnAnswer: (approval: Approval) => boolean
  /** Tells if hooks have yet to run before a call. */
  readonly hasHooks: (item: CallItem, said: HooksSaid | undefined) => boolean
  /** Path of the policy file that `approvedAlways` adds a rule to. */
  readonly policyFile: string
  /** Loosest sandbox mode that this server allows. */
  readonly ceiling: SandboxMode
  readonly secretsIn: (text: string) => ReadonlyMap<string, string>
  /** Age in ms of a run that an earlier server began and an exec-server has kept, or null. */
  readonly runningOnMs: (item: CallItem) => number | null
  /** True once the turn is stopped: nothing more starts. */
  readonly stopped: boolean
}

/** Judges a call that has not run. */
export function firstAttempt(given: Facts, policy: CallPolicy): RunAttempt {
  const settings = decideSettings(policy)
  const facts = withoutNeedlessRequest(given, settings)
  const decision = decide(facts, settings)
  return { number: 1, facts, decision, limits: sandboxLimits(facts, decision.run, settings) }
}

/** Judges a second run of a call that the sandbox blocked. Returns null where the policy now offers no second run. */
export function retryAttempt(facts: Facts, blocked: CallItem, policy: CallPolicy): RunAttempt | null {
  const settings = decideSettings(policy)
  if (blocked.type !== 'commandExecution' || decide(facts, settings).verdict === 'deny') return null
  const { sandboxBlock = null, decision } = blocked
  const limits = decision?.limits ?? { sandbox: 'none', network: true }
  const retry = retryAfter(sandboxBlock, settings.approvalPolicy, limits)
  return retry === null ? null : { number: 2, facts, ...retry }
}

/** Returns the settings that policy judges a call or a text by. */
export function decideSettings({
  state,
  rules,
  sessionGrants,
}: Pick<CallPolicy, 'state' | 'rules' | 'sessionGrants'>): DecideSettings {
  const { approvalPolicy, sandbox: sandboxMode, enforcement, network = false } = settingsInForce(state.core)
  return { rules, sessionGrants, approvalPolicy, sandboxMode, enforcement, network }
}

/**
 * Returns the hash that an approval binds to: the exact payload and the limits of its run. A call without limits is
 * bound to the sandbox mode, so a yes under a wider mode does not hold under a narrower one.
 */
export function payloadHashOf(
  { payload }: Pick<ReadyCall, 'payload'>,
  attempt: RunAttempt,
  state: ConversationState,
): string {
  const { facts, limits } = attempt
  const bound = hasOwnLimits(facts) ? [limits, ...enforcedBy(limits, state)] : [settingsInForce(state.core).sandbox]
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([payload, ...bound]))
    .digest('hex')}`
}

function enforcedBy({ sandbox }: RunLimits, state: ConversationState): readonly unknown[] {
  if (sandbox === 'none') return []
  const { enforcement, unixSockets = false } = settingsInForce(state.core)
  return [enforcement, unixSockets, ...(sandbox === 'workspace-write' ? workspaceOf(state).roots : [])]
}

/** Returns the record of a decision that policy took by itself. */
export function decisionRecord(attempt: RunAttempt): DecisionRecord {
  const { verdict, rule, reason, code } = attempt.decision
  return { verdict, rule, reason, ...(code === undefined ? {} : { code }), ...limitsIn(attempt) }
}

/** Returns the record of a decision that a user's answer took. */
export function answeredRecord(approval: Approval, attempt: RunAttempt): DecisionRecord {
  return { ...answeredDecision(approval), ...limitsIn(attempt) }
}

/** Returns the limits of a call that has its own. */
function limitsIn({ facts, limits }: RunAttempt): Pick<DecisionRecord, 'limits'> {
  return hasOwnLimits(facts) ? { limits } : {}
}

/** Returns the item of a call that policy forbids. */
export function deniedItem(item: CallItem, attempt: RunAttempt): CallItem {
  const modelText = `Not run: ${explainDecision(attempt.decision)}`
  return { ...item, status: 'denied', decision: decisionRecord(attempt), modelText }
}

/**
 * Returns the item of a call that the server rejects as it stands; `problem` is for the model. `knownTools` names all
 * tools, for a call of another one.
 */
export function rejectedItem(item: CallItem, problem: string, knownTools?: readonly string[]): CallItem {
  const failure = { code: 'invalidToolCall', message: problem }
  const known = knownTools === undefined || item.type !== 'toolCall' ? item : { ...item, knownTools: [...knownTools] }
  return { ...known, status: 'failed', modelText: problem, failure }
}

export const concealedProblem =
  'Not run: the user must see all of a call to approve it, and a part of this one is hidden because it looks like a secret. Put the secret by itself into a file or a variable, and name that.'

/** Returns the item of a call that did not run because its environment cannot be reached. */
export function unreachableItem(item: CallItem, message: string): CallItem {
  const failure = { code: 'environmentUnreachable', message }
  return { ...item, status: 'failed', modelText: `Not run: ${message}`, notRun: true, failure }
}

/** Returns the item of a call that was started and has lost its outcome. */
export function unknownItem(item: CallItem): CallItem {
  const modelText = 'This was started, but how it ended is unknown. Check before running it again.'
  return { ...item, status: 'unknown', modelText }
}

interface AttemptOutcome {
  readonly outcome: ToolOutcome
  readonly attempt: Pick<RunAttempt, 'number'>
  readonly durationMs: number
}

/** Returns the item with the outcome of one attempt. */
export function finishedItem(item: CallItem, { outcome, attempt, durationMs }: AttemptOutcome): CallItem {
  const { status, modelText, hints = [], notRun, failure, fields } = outcome
  const before = item.type === 'commandExecution' ? withoutOutcome(item) : item
  const ended = {
    ...before,
    ...fields,
    status,
    modelText,
    ...(hints.length === 0 ? {} : { hints: [...hints] }),
    ...(notRun === undefined ? {} : { notRun }),
    attempt: attempt.number,
    durationMs,
    ...(failure === undefined ? {} : { failure }),
  }
  return withHint(ended, 'secondRun', attempt.number === 1 ? null : secondRun)
}

const secondRun =
  '(This was its second run, with more rights, which the user allowed. The first one, in the sandbox, failed.)'

/** Returns the item with the block, told to the model; `mayAsk` when the model can ask for more rights. */
export function blockedItem(
  item: ItemOf<'commandExecution'>,
  sandboxBlock: SandboxBlock,
  mayAsk: boolean,
): ItemOf<'commandExecution'> {
  return withHint({ ...item, sandboxBlock }, 'sandboxBlock', blockNotice(sandboxBlock, mayAsk))
}

/** Returns the item with the facts its decision rests on. */
export function withFacts(item: CallItem, facts: Facts | null): CallItem {
  return facts === null ? item : { ...item, facts: { ...facts } }
}
