import { createHash } from 'node:crypto'
import type { Approval, CallItem, ConversationEvent, DecisionRecord } from '@parley/protocol'
import { type DecideSettings, type Decision, decide } from '../core/policy/decide.ts'
import { explainDecision } from '../core/policy/explain.ts'
import type { Facts } from '../core/policy/facts.ts'
import { grantFor } from '../core/policy/grants.ts'
import { PlaceUnreachable } from '../place/place-unreachable.ts'
import type { PreparedCall, ReadyCall, ToolOutcome } from '../tools/tool.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { approvalFor } from './approval-request.ts'
import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'
import { isCallItem } from './is-call-item.ts'
import { understandCall, workspaceOf } from './proposed-item.ts'
import type { Run } from './run.ts'
import { toolContext } from './tool-context.ts'

/** Brings one proposed or approved call a step on: refused, asked about, or run to its end. */
export async function runCall(run: Run, itemId: string): Promise<void> {
  const { conversation, bench } = run
  const open = conversation.state.core.open[itemId]
  const source = conversation.view.callOf(itemId)
  if (open === undefined || source === null || !isCallItem(open.item)) return
  const { began } = open
  // It may have happened: whatever was lost on the way, it does not start a second time.
  if (began) return complete(run, { ...open.item, status: 'unknown', modelText: endUnknown })
  const understood = understandCall(bench.tools, source)
  if ('problem' in understood) return refuse(run, open.item, understood.problem)
  try {
    await decideAndRun(run, open.item, understood.prepared)
  } catch (error) {
    // Nothing has begun: what begins tells itself how it ended.
    if (!(error instanceof PlaceUnreachable)) throw error
    await complete(run, { ...open.item, ...unreachable(error) })
  }
}

async function decideAndRun(run: Run, open: CallItem, prepared: PreparedCall): Promise<void> {
  const { conversation, bench } = run
  const workspace = workspaceOf(conversation.state)
  const facts = await unlessAborted(prepared.facts(workspace), run.signal)
  if (facts === null || run.signal.aborted) return
  const item = { ...open, facts: { ...facts } }
  const decision = decide(facts, decideSettings(conversation, bench))
  const approval = Object.values(conversation.state.core.approvals).find((known) => known.itemId === open.id)
  if (approval?.state === 'pending') return
  // Working it out reads files, which a forbidden call has no right to.
  if (decision.verdict === 'deny' && approval === undefined) return decline(run, item, decision)
  const ready = await unlessAborted(prepared.workOut(workspace, facts), run.signal)
  if (ready === null || run.signal.aborted) return
  if ('problem' in ready) return refuse(run, item, ready.problem)
  const shown = { ...item, ...ready.shown }
  if (approval === undefined) return judge(run, ready, shown, { facts, decision })
  if (approval.contentHash !== payloadHash(ready))
    return judge(run, ready, shown, { facts, decision: askedAnew(decision) })
  if (approval.decision === 'approvedForSession') grantForSession(run, facts, decision)
  return begin(run, ready, { ...shown, decision: answered(approval) })
}

function unreachable({ message }: PlaceUnreachable) {
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

function grantForSession({ bench }: Run, facts: Facts, decision: Decision): void {
  const grant = grantFor(facts, decision.run)
  if (grant !== null) bench.grants.push(grant)
}

function decideSettings(conversation: Conversation, bench: Bench): DecideSettings {
  const { approvalPolicy, sandbox: sandboxMode, tier } = conversation.state.core.settings
  return { rules: bench.rules, sessionGrants: bench.grants, approvalPolicy, sandboxMode, tier }
}

interface Judged {
  readonly facts: Facts
  readonly decision: Decision
}

async function judge(run: Run, ready: ReadyCall, item: CallItem, { facts, decision }: Judged): Promise<void> {
  const decided = { ...item, decision: recordOf(decision) }
  switch (decision.verdict) {
    case 'allow':
      return begin(run, ready, decided)
    case 'deny':
      return decline(run, item, decision)
    case 'ask': {
      const sessionOffered = grantFor(facts, decision.run) !== null
      const approval = approvalFor(run, decided, { facts, contentHash: payloadHash(ready), sessionOffered })
      run.conversation.record({ type: 'approval.requested', approval })
    }
  }
}

function recordOf({ verdict, rule, reason, code }: Decision): DecisionRecord {
  return { verdict, rule, reason, ...(code === undefined ? {} : { code }) }
}

/** From here on it may have happened: nothing starts before `item.began` is on disk. */
async function begin(run: Run, ready: ReadyCall, item: CallItem): Promise<void> {
  const { conversation, bench, signal } = run
  const { decision } = item
  if (decision === undefined) return
  const decidedBy =
    decision.approvalId === undefined
      ? { rule: decision.rule, reason: decision.reason }
      : { approvalId: decision.approvalId }
  conversation.record({
    type: 'item.began',
    itemId: item.id,
    attempt: 1,
    decidedBy,
    payloadHash: payloadHash(ready),
    ...(item.type === 'fileChange' ? { changes: item.changes } : {}),
  })
  if (item.readOnly !== true) await conversation.synced()
  const startedMs = bench.clock.elapsed()
  const context = toolContext(run, item.id)
  const outcome = signal.aborted ? notStarted : await ready.run(context.tool)
  context.stop()
  return complete(run, finished(item, outcome, bench.clock.elapsed() - startedMs))
}

const notStarted: ToolOutcome = { status: 'interrupted', modelText: 'Not run: the turn was stopped.' }

const endUnknown = 'This was started, but how it ended is unknown. Check before running it again.'

function finished(item: CallItem, outcome: ToolOutcome, durationMs: number): CallItem {
  const { status, modelText, failure, fields } = outcome
  const known = { ...item, ...fields, status, modelText, attempt: 1, durationMs: Math.round(durationMs) }
  return failure === undefined ? known : { ...known, failure }
}

function answered(approval: Approval): DecisionRecord {
  const { rule, reason, id, decision, by, note } = approval
  return {
    verdict: 'ask',
    rule,
    reason,
    approvalId: id,
    ...(decision === undefined ? {} : { answer: decision }),
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
  }
}

function refuse(run: Run, item: CallItem, problem: string): Promise<void> {
  return complete(run, {
    ...item,
    status: 'failed',
    modelText: problem,
    failure: { code: 'invalidToolCall', message: problem },
  })
}

function decline(run: Run, item: CallItem, decision: Decision): Promise<void> {
  const modelText = `Not run: ${explainDecision(decision)}`
  return complete(run, { ...item, status: 'declined', decision: recordOf(decision), modelText })
}

/** How a call ended is known only here, so this waits for a full disk. */
async function complete({ conversation, patience }: Run, item: CallItem): Promise<void> {
  const turnId = conversation.state.core.open[item.id]?.turnId
  const event: ConversationEvent = { type: 'item.completed', item }
  await patience.persist(() =>
    conversation.record(turnId === null || turnId === undefined ? event : { ...event, turnId }),
  )
}

function payloadHash({ payload }: ReadyCall): string {
  return `sha256:${createHash('sha256').update(payload).digest('hex')}`
}
