import {
  alwaysRulesFor,
  conceals,
  type DecideSettings,
  type Decision,
  decide,
  explainDecision,
  type Facts,
  grantFor,
  retryAfter,
  runLimits,
  withoutNeedlessWish,
} from '@parley/policy'
import { type CallItem, type Item, isCall, standingOutcome } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import type { PreparedCall, ReadyCall } from '../../tools/tool.ts'
import { unlessAborted } from '../../unless-aborted.ts'
import type { Bench } from '../bench.ts'
import type { Conversation } from '../conversation.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { Run } from '../run.ts'
import { approvalFor } from './approval-request.ts'
import { beginCall } from './begin-call.ts'
import { completeCall } from './complete-call.ts'
import { answeredRecord, contentHashOf, type DecidedCall, recordOf } from './decided-call.ts'
import { exactCall, exactText, understandCall } from './propose-call.ts'

/** Brings one proposed or approved call a step on: denied, asked about, or run to its end. */
export async function runCall(run: Run, itemId: string): Promise<void> {
  const { conversation, bench } = run
  const open = conversation.state.core.open[itemId]
  if (open === undefined || !isCall(open.item)) return
  const source = exactCall(run, open.item)
  if (source === null) return
  const { executionStarted } = open
  // It may have happened: whatever was lost on the way, it does not start a second time.
  if (executionStarted) return completeCall(run, { ...open.item, status: 'unknown', modelText: endUnknown })
  const standing = standingOutcome(open)
  const understood = understandCall(bench, source)
  if ('problem' in understood) return failCall(run, open.item, understood.problem)
  try {
    await decideAndRun(run, { item: open.item, standing }, understood.prepared)
  } catch (error) {
    // Nothing has begun: what begins tells itself how it ended.
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    await completeCall(run, standing === null ? { ...open.item, ...unreachable(error) } : asCall(standing, open.item))
  }
}

interface OpenCall {
  readonly item: CallItem
  /** How its attempt before ended, where it waits to run again. */
  readonly standing: Item | null
}

async function decideAndRun(run: Run, { item: open, standing }: OpenCall, prepared: PreparedCall): Promise<void> {
  const { conversation, bench } = run
  const workspace = workspaceOf(conversation.state)
  const facts = await unlessAborted(prepared.facts(workspace), run.signal)
  if (facts === null || run.signal.aborted) return
  // Another conversation may have found that there is less of a sandbox than there was.
  await unlessAborted(bench.limits.look(), run.signal)
  if (run.signal.aborted) return
  bench.limits.settle()
  const item = { ...open, facts: { ...facts } }
  const call = standing === null ? firstAttempt(run, facts) : secondAttempt(run, facts, standing)
  const approval = Object.values(conversation.state.core.approvals).find((known) => known.itemId === open.id)
  if (approval?.state === 'pending') return
  // Nobody said yes, or what they said yes to is no question any more: it has run once, and that was that.
  if (standing !== null && (call === null || approval === undefined)) return completeCall(run, asCall(standing, open))
  if (call === null) return
  // Working it out reads files, which a forbidden call has no right to.
  const { verdict, code } = call.decision
  if (verdict === 'deny' && (approval === undefined || code === 'deniedByRule')) return denyCall(run, item, call)
  const ready = await unlessAborted(prepared.workOut(workspace, facts), run.signal)
  if (ready === null || run.signal.aborted) return
  if ('problem' in ready) return failCall(run, item, ready.problem)
  const shown = { ...item, ...ready.shown }
  if (approval === undefined) return judge(run, ready, shown, call)
  if (approval.contentHash !== contentHashOf(ready, call, conversation.state))
    return judge(run, ready, shown, { ...call, decision: askedAnew(call.decision) })
  if (approval.decision === 'approvedForSession') grantForSession(run, call)
  return beginCall(run, ready, { ...shown, decision: answeredRecord(approval, call) }, call)
}

function firstAttempt({ conversation, bench }: Run, given: Facts): DecidedCall {
  const settings = decideSettings(conversation, bench)
  const facts = withoutNeedlessWish(given, settings)
  const decision = decide(facts, settings)
  return { facts, decision, limits: runLimits(facts, decision.run, settings), attempt: 1 }
}

/** Null where it would not be asked about today: the policy is another one, or a rule forbids it. */
function secondAttempt({ conversation, bench }: Run, facts: Facts, standing: Item): DecidedCall | null {
  const settings = decideSettings(conversation, bench)
  if (standing.type !== 'commandExecution' || decide(facts, settings).verdict === 'deny') return null
  const { sandboxBlock = null, decision } = standing
  const first = decision?.limits ?? { sandbox: 'none', network: true }
  const retry = retryAfter(sandboxBlock, settings.approvalPolicy, first)
  return retry === null ? null : { facts, ...retry, attempt: 2 }
}

function unreachable({ message }: EnvironmentUnreachableError) {
  return {
    status: 'failed' as const,
    modelText: `Not run: ${message}`,
    failure: { code: 'environmentUnreachable', message },
  }
}

/** A yes is to what was shown: where something else would happen by now, that is another question. */
function askedAnew(decision: Decision): Decision {
  return { ...decision, reason: `what it would do has changed since the yes; ${decision.reason}` }
}

function grantForSession({ bench }: Run, { facts, decision }: DecidedCall): void {
  const grant = grantFor(facts, decision.run)
  if (grant !== null) bench.grants.push(grant)
}

function decideSettings(conversation: Conversation, bench: Bench): DecideSettings {
  const { approvalPolicy, sandbox: sandboxMode, enforcement, network = false } = conversation.state.core.settings
  return { rules: bench.rules, sessionGrants: bench.grants, approvalPolicy, sandboxMode, enforcement, network }
}

async function judge(run: Run, ready: ReadyCall, item: CallItem, call: DecidedCall): Promise<void> {
  const { facts, decision } = call
  const decided = { ...item, decision: recordOf(call) }
  switch (decision.verdict) {
    case 'allow':
      return beginCall(run, ready, decided, call)
    case 'deny':
      return denyCall(run, item, call)
    case 'ask': {
      if (conceals({ facts, written: exactText(run, item) }, run.bench.redaction.secretsIn))
        return failCall(run, item, concealed)
      const question = ready.question?.() ?? null
      if (question !== null && 'problem' in question) return failCall(run, item, question.problem)
      const isFirst = call.attempt === 1
      // A rule would have to say what the secret is.
      const always =
        isFirst && item.restorable !== false ? alwaysRulesFor(facts, decideSettings(run.conversation, run.bench)) : null
      const sessionOffered = isFirst && grantFor(facts, decision.run) !== null
      const contentHash = contentHashOf(ready, call, run.conversation.state)
      const approval = approvalFor(run, decided, { ...call, contentHash, sessionOffered, always, question })
      run.conversation.record({ type: 'approval.requested', approval })
    }
  }
}

const concealed =
  'Not run: the user is asked about this, and a part of it that may be more than a word would be kept from them because it looks like a secret. Put the secret into a file or a variable by itself, and name that.'

const endUnknown = 'This was started, but how it ended is unknown. Check before running it again.'

function asCall(outcome: Item, open: CallItem): CallItem {
  return isCall(outcome) ? outcome : open
}

function failCall(run: Run, item: CallItem, problem: string): Promise<void> {
  return completeCall(run, {
    ...item,
    status: 'failed',
    modelText: problem,
    failure: { code: 'invalidToolCall', message: problem },
  })
}

function denyCall(run: Run, item: CallItem, call: DecidedCall): Promise<void> {
  const modelText = `Not run: ${explainDecision(call.decision)}`
  return completeCall(run, { ...item, status: 'denied', decision: recordOf(call), modelText })
}
