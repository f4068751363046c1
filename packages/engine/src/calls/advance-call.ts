import { conceals, type Facts, type Grant, honoursRequests, narrowed, narrowingBySkills } from '@parley/policy'
import {
  type Answers,
  type Approval,
  type CallItem,
  type ItemId,
  isCall,
  modeOf,
  type OpenItem,
  type SandboxBlock,
  settingsInForce,
} from '@parley/protocol'
import { chosenMode } from '@parley/protocol/question'
import { narrowingOf } from '../policy/narrow-by-hooks.ts'
import type { PreparedCall, ReadyCall, Workspace } from '../tools/contract/tool.ts'
import { type CallQuestion, grantOf, questionAbout, tooLongToAsk } from './approval-request.ts'
import {
  type AskedAgain,
  answeredRecord,
  blockedItem,
  type CallPolicy,
  concealedProblem,
  decisionRecord,
  deniedItem,
  firstAttempt,
  type PlannedRun,
  payloadHashOf,
  type RunAttempt,
  rejectedItem,
  retryAttempt,
  unknownItem,
  unreachableItem,
  withFacts,
} from './attempt.ts'

/** Progress of a call that only this process knows. The item, the answer and the first run are in the log. */
export type PhasedCall = UnderstoodCall | ExaminedCall | PlannedCall | RunCall | InvalidCall | UnreachableCall

interface KnownCall {
  readonly itemId: ItemId
  /** Exact text the model wrote, for a call with a secret in it; else null. */
  readonly written: string | null
}

interface UnderstoodCall extends KnownCall {
  readonly phase: 'understood'
  readonly prepared: PreparedCall
  readonly workspace: Workspace
  /** True once this process has run the hooks before it. */
  readonly isHooked: boolean
}

interface ExaminedCall extends Omit<UnderstoodCall, 'phase' | 'isHooked'> {
  readonly phase: 'examined'
  readonly facts: Facts
}

interface PlannedCall extends KnownCall {
  readonly phase: 'planned'
  readonly facts: Facts
  readonly plan: ReadyCall
}

interface RunCall extends KnownCall {
  readonly phase: 'ran'
  readonly attempt: Pick<RunAttempt, 'number'>
  /** Plan of a second run; null where a second run is impossible. */
  readonly planned: PlannedRun | null
  /** Item with the outcome of this attempt. */
  readonly item: CallItem
  readonly block: SandboxBlock | null
  /** True when the sandbox could not be set up, so that nothing ran. */
  readonly sandboxBroke: boolean
}

/** Call that cannot be run: unknown tool, wrong arguments, or no plan. `problem` says why, for the model. */
interface InvalidCall extends KnownCall {
  readonly phase: 'invalid'
  readonly problem: string
  /** Names of all tools, where the call names another one. */
  readonly knownTools?: readonly string[]
  /** Facts, if they were gathered before the problem was found. */
  readonly facts: Facts | null
}

interface UnreachableCall extends KnownCall {
  readonly phase: 'unreachable'
  readonly message: string
}

/** Next step of one call, with everything needed to carry it out. */
export type CallStep =
  /** Do nothing now: the call has ended, waits for an answer, or its turn is stopped. */
  | { readonly kind: 'wait' }
  /** Run the hooks before the call. */
  | { readonly kind: 'runHooks' }
  /** Gather the facts. */
  | ({ readonly kind: 'examine' } & Pick<UnderstoodCall, 'prepared' | 'workspace'>)
  /** Determine exactly what would be done. */
  | ({ readonly kind: 'plan' } & Pick<ExaminedCall, 'prepared' | 'workspace' | 'facts'>)
  /** Go on with the run of an earlier server. */
  | ({ readonly kind: 'follow'; readonly ageMs: number } & Required<Pick<PreparedCall, 'follow'>> &
      Pick<UnderstoodCall, 'prepared' | 'workspace'>)
  /** End the call without a run: policy denies it, or the server rejects it. */
  | { readonly kind: 'deny' | 'reject'; readonly item: CallItem }
  /** End the call with the outcome of a run; `unknown` when that is lost. */
  | { readonly kind: 'keep'; readonly item: CallItem }
  /** `failed`: outcome of the first run, recorded with the question about a retry; else null. */
  | { readonly kind: 'ask'; readonly question: CallQuestion; readonly failed: CallItem | null }
  | RunStep

export interface RunStep {
  readonly kind: 'run'
  readonly plan: ReadyCall
  readonly item: CallItem & Required<Pick<CallItem, 'decision'>>
  readonly attempt: RunAttempt
  readonly payloadHash: string
  /** Answers of the user to the form of the call; null without a form, and where nobody was asked. */
  readonly answers: Answers | null
  /** Note of the user with a yes; else null. */
  readonly note: string | null
  /** Grant that the answer gives to later calls of the session; else null. */
  readonly grant: Grant | null
}

/**
 * Returns the next step of one call, from the state of the log and what this process has gathered. A call that was
 * started and has no outcome here is kept as `unknown` and never run again.
 */
export function advanceCall(call: PhasedCall, policy: CallPolicy): CallStep {
  const { core } = policy.state
  const open = core.open[call.itemId]
  if (open === undefined || !isCall(open.item)) return { kind: 'wait' }
  const { item } = open
  const first = firstOutcome(open)
  if (call.phase === 'unreachable') return first === null ? reject(unreachableItem(item, call.message)) : keep(first)
  if (call.phase === 'ran') return afterRun(call, policy)
  if (open.executionStarted) return startedStep(call, item, policy)
  if (call.phase === 'invalid') return reject(rejectedItem(withFacts(item, call.facts), call.problem, call.knownTools))
  const approval = Object.values(core.approvals).find(({ itemId }) => itemId === call.itemId) ?? null
  if (policy.stopped || approval?.state === 'pending') return { kind: 'wait' }
  if (call.phase === 'understood') return understoodStep(call, { open, item, approval }, policy)
  const known = { item: withFacts(item, call.facts), approval }
  if (first === null) return judge(call, { ...known, attempt: hookedAttempt(call.facts, open, policy) }, policy)
  const retry = approval === null ? null : retryAttempt(call.facts, first, policy)
  return retry === null ? keep(first) : judge(call, { ...known, attempt: retry }, policy)
}

/** Returns the step of a call that was started before: its run is followed where that is kept, and else never repeated. */
function startedStep(call: PhasedCall, item: CallItem, policy: CallPolicy): CallStep {
  const ageMs = policy.runningOnMs(item)
  if (ageMs === null || call.phase !== 'understood') return keep(unknownItem(item))
  const { prepared, workspace } = call
  const { follow } = prepared
  return follow === undefined ? keep(unknownItem(item)) : { kind: 'follow', follow, ageMs, prepared, workspace }
}

/** Returns the first step of a call: its hooks that have not run, unless one stopped it or a user was asked. */
function understoodStep(
  { prepared, workspace, isHooked }: UnderstoodCall,
  { open, item, approval }: { open: OpenItem; item: CallItem; approval: Approval | null },
  policy: CallPolicy,
): CallStep {
  const { hooks } = open
  const mayHaveMore = !isHooked && firstOutcome(open) === null && approval === null && hooks?.outcome !== 'stopped'
  return mayHaveMore && policy.hasHooks(item, hooks) ? { kind: 'runHooks' } : { kind: 'examine', prepared, workspace }
}

/** Returns the outcome of a first run that the sandbox blocked, or null. */
function firstOutcome({ failedExecution }: OpenItem): CallItem | null {
  return failedExecution !== undefined && isCall(failedExecution) ? failedExecution : null
}

/** Judges a call that has not run, by policy and then by what hooks and skills demand, which only holds it up. */
function hookedAttempt(facts: Facts, { hooks }: OpenItem, policy: CallPolicy): RunAttempt {
  const attempt = firstAttempt(facts, policy)
  const { core } = policy.state
  const { approvalPolicy } = settingsInForce(core)
  const demands = [narrowingOf(hooks), narrowingBySkills(facts, core.turn?.skills ?? [])]
  const decision = demands.reduce((before, demand) => narrowed(before, demand, approvalPolicy), attempt.decision)
  return decision === attempt.decision ? attempt : { ...attempt, decision }
}

interface JudgedAttempt {
  readonly item: CallItem
  readonly attempt: RunAttempt
  readonly approval: Approval | null
}

/** Applies a decision. A forbidden call is not planned, as planning reads files. Only a deny rule overrides a yes. */
function judge(
  call: ExaminedCall | PlannedCall,
  { item, attempt, approval }: JudgedAttempt,
  policy: CallPolicy,
): CallStep {
  const { verdict, code } = attempt.decision
  if (verdict === 'deny' && (approval === null || code === 'deniedByRule')) return deny(item, attempt)
  if (call.phase === 'examined') {
    const { prepared, workspace, facts } = call
    return { kind: 'plan', prepared, workspace, facts }
  }
  const { plan } = call
  const shown = { ...item, ...plan.shown }
  const payloadHash = payloadHashOf(plan, attempt, policy.state)
  if (approval === null) return decideUnanswered(call, { item: shown, attempt, payloadHash }, policy)
  const why = whyAskedAgain(approval, payloadHash, policy)
  if (why !== null)
    return decideUnanswered(call, { item: shown, attempt: toAskAgain(attempt, why), payloadHash }, policy)
  const grant = grantOf(approval, attempt)
  const decided = { ...shown, decision: answeredRecord(approval, attempt) }
  const { answers = null, note = null } = approval
  return { kind: 'run', plan, item: decided, attempt, payloadHash, answers, note, grant }
}

/** Beginnings of the reasons for a question after a yes that does not count. */
const askedAgainWords: Readonly<Record<AskedAgain, string>> = {
  planChanged: 'what it would do has changed since the yes',
  foreignAnswer: 'the yes comes from a log that another home or program wrote',
  modeNotInForce: 'the mode that the answer chose is not in force',
}

/** Returns why a yes does not count; null for one that does. */
function whyAskedAgain(approval: Approval, payloadHash: string, policy: CallPolicy): AskedAgain | null {
  if (approval.contentHash !== payloadHash) return 'planChanged'
  if (!policy.isOwnAnswer(approval)) return 'foreignAnswer'
  // The change of the mode is an event of its own: a crash may have cut it off, or a lower ceiling undone it.
  const mode = chosenMode(approval, approval.answers ?? {})
  return mode !== null && modeOf(policy.state.core.settings) !== mode.name ? 'modeNotInForce' : null
}

function toAskAgain(attempt: RunAttempt, askedAgain: AskedAgain): RunAttempt {
  const { decision } = attempt
  const reason = `${askedAgainWords[askedAgain]}; ${decision.reason}`
  return { ...attempt, decision: { ...decision, reason }, askedAgain }
}

interface Unanswered {
  readonly item: CallItem
  readonly attempt: RunAttempt
  readonly payloadHash: string
}

const notPlanning = 'Not asked: there is no plan mode to leave. Write the plan in your answer, or begin the work.'

/** Applies a decision to a plan that no answer covers. */
function decideUnanswered({ plan, written }: PlannedCall, unanswered: Unanswered, policy: CallPolicy): CallStep {
  const { item, attempt, payloadHash } = unanswered
  switch (attempt.decision.verdict) {
    case 'allow': {
      const decided = { ...item, decision: decisionRecord(attempt) }
      return { kind: 'run', plan, item: decided, attempt, payloadHash, answers: null, note: null, grant: null }
    }
    case 'deny':
      return deny(item, attempt)
    case 'ask': {
      if (plan.modes !== undefined && modeOf(policy.state.core.settings) !== 'plan')
        return reject(rejectedItem(item, notPlanning))
      if (conceals({ facts: attempt.facts, written }, policy.secretsIn))
        return reject(rejectedItem(item, concealedProblem))
      const patch = plan.question?.() ?? null
      if (patch !== null && 'problem' in patch) return reject(rejectedItem(item, patch.problem))
      const tooLong = patch === null ? tooLongToAsk(item) : null
      if (tooLong !== null) return reject(rejectedItem(item, tooLong))
      return {
        kind: 'ask',
        question: questionAbout({ item, attempt, payloadHash, patch, plan }, policy),
        failed: null,
      }
    }
  }
}

/** Keeps the outcome of a run, or asks for a retry: only once, and only where the user would see the whole command. */
function afterRun({ planned, attempt, item, block }: RunCall, policy: CallPolicy): CallStep {
  if (item.type !== 'commandExecution' || block === null) return keep(item)
  const blocked = blockedItem(item, block, honoursRequests(settingsInForce(policy.state.core).approvalPolicy))
  if (planned === null) return keep(blocked)
  const { facts, plan } = planned
  const mayRetry = attempt.number === 1 && !policy.stopped && !conceals({ facts, written: null }, policy.secretsIn)
  const retry = mayRetry ? retryAttempt(facts, blocked, policy) : null
  if (retry === null) return keep(blocked)
  const payloadHash = payloadHashOf(plan, retry, policy.state)
  const question = questionAbout({ item: blocked, attempt: retry, payloadHash, patch: null, plan }, policy)
  return { kind: 'ask', question, failed: blocked }
}

function keep(item: CallItem): CallStep {
  return { kind: 'keep', item }
}

function deny(item: CallItem, attempt: RunAttempt): CallStep {
  return { kind: 'deny', item: deniedItem(item, attempt) }
}

function reject(item: CallItem): CallStep {
  return { kind: 'reject', item }
}
