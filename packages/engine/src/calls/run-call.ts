import {
  type CallItem,
  type ChangedPath,
  type ConversationEvent,
  type ItemId,
  isCall,
  settingsInForce,
} from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { repeatedHint } from '../core/view/repeated-calls.ts'
import { recordChanges } from '../history/record-changes.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { CallContext } from '../roles/roles.ts'
import { notStarted, type ToolContext, unlessAborted } from '../tools/contract/tool.ts'
import { advanceCall, type Call, type CallStep, type RunStep } from './advance-call.ts'
import { finishedItem } from './attempt.ts'
import { toolContext } from './call-context.ts'
import { policyOf } from './call-policy.ts'
import { changeHint } from './changed-call.ts'
import { findBlock } from './find-block.ts'
import { followCall } from './follow-call.ts'
import { afterCall, runHooksAfter, runHooksBefore } from './hooked-calls.ts'
import { exactCall, exactText, understandCall } from './propose-call.ts'
import { sayWrittenThrough } from './written-through.ts'

/** Brings one proposed or approved call as far as it goes now: to its end, or to a question. */
export async function runCall(context: CallContext, itemId: ItemId): Promise<void> {
  let call = readCall(context, itemId)
  while (call !== null) call = await advance(context, call)
}

/** Returns null for a call that is over, or whose secret was lost with an earlier process. */
function readCall(context: CallContext, itemId: ItemId, isHooked = false): Call | null {
  const {
    record: { conversation },
  } = context
  const item = conversation.state.core.open[itemId]?.item
  if (item === undefined || !isCall(item)) return null
  const source = exactCall(context, item)
  if (source === null) return null
  const known = { itemId, written: exactText(context, item) }
  const understood = understandCall(context, source)
  return 'problem' in understood
    ? { ...known, phase: 'invalid', problem: understood.problem, facts: null }
    : {
        ...known,
        phase: 'understood',
        prepared: understood.prepared,
        workspace: workspaceOf(conversation.state),
        isHooked,
      }
}

/** Takes one step. Returns null once there is no more to do now. */
async function advance(context: CallContext, call: Call): Promise<Call | null> {
  try {
    return await carryOut(context, call, advanceCall(call, policyOf(context)))
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const { itemId, written } = call
    return { phase: 'unreachable', itemId, written, message: error.message }
  }
}

async function carryOut(context: CallContext, call: Call, step: CallStep): Promise<Call | null> {
  switch (step.kind) {
    case 'wait':
      return null
    case 'runHooks':
      await runHooksBefore(context, call.itemId)
      assertProjectRead(context)
      return readCall(context, call.itemId, true)
    case 'examine':
      assertProjectRead(context)
      return examine(context, call, step)
    case 'plan':
      return plan(context, call, step)
    case 'ask':
      return ask(context, step)
    case 'deny':
    case 'reject':
    case 'keep':
      if (call.phase === 'ran') await completeRun(context, step.item)
      else await complete(context, step.item)
      if (call.phase === 'ran' && call.sandboxBroke) await context.act.limits.recheck()
      return null
    case 'follow':
      return followCall(context, call, step)
    case 'run':
      return startCall(context, call, step)
  }
}

/** Throws for a conversation whose machine is away since it opened: what its project forbids is not known. */
function assertProjectRead({ act: { project } }: CallContext): void {
  if (!project.isRead) throw project.problem ?? new EnvironmentUnreachableError('Its machine was not reached yet.')
}

type StepOf<Kind extends CallStep['kind']> = Extract<CallStep, { kind: Kind }>

/** Gathers the facts, and looks at the sandbox anew: another conversation may have found that it has become weaker. */
async function examine({ act, signal }: CallContext, call: Call, step: StepOf<'examine'>): Promise<Call | null> {
  const { prepared, workspace } = step
  const facts = await unlessAborted(prepared.facts(workspace), signal)
  if (facts === null || signal.aborted) return null
  await unlessAborted(act.limits.readReport(), signal)
  if (signal.aborted) return null
  act.limits.recordEnforcement()
  const { itemId, written } = call
  return { phase: 'examined', itemId, written, prepared, workspace, facts }
}

async function plan({ signal }: CallContext, call: Call, step: StepOf<'plan'>): Promise<Call | null> {
  const { prepared, workspace, facts } = step
  const { itemId, written } = call
  const ready = await unlessAborted(prepared.plan(workspace, facts), signal)
  if (ready === null || signal.aborted) return null
  return 'problem' in ready
    ? { phase: 'invalid', itemId, written, problem: ready.problem, facts }
    : { phase: 'planned', itemId, written, facts, plan: ready }
}

/** Records the question; with the outcome of the first run, in one write, which waits while the disk is full. */
async function ask(
  { record: { conversation, ids, storage }, people }: CallContext,
  { question, failed }: StepOf<'ask'>,
): Promise<null> {
  const approval = { id: ids.approval(), ...question, answerableBy: [...people.answerers()] }
  const requested: ConversationEvent = { type: 'approval.requested', approval }
  if (failed === null) conversation.record(requested)
  else {
    const execution: ConversationEvent = { type: 'execution.failed', itemId: failed.id, attempt: 1, item: failed }
    await storage.persist(() => conversation.recordAll([execution, requested]))
  }
  return null
}

/** Records how a call that has run ended, then runs the hooks after it. That they run comes first, so that no cut of the log leaves them out. */
async function completeRun(context: CallContext, item: CallItem): Promise<void> {
  const {
    record: { conversation },
    act,
  } = context
  const moment = afterCall(item, conversation.state.core.open[item.id]?.turnId ?? null)
  const call = act.hooks.has(moment) ? exactCall(context, item) : null
  if (call === null) return complete(context, item)
  await complete(context, item, act.hooks.started(moment))
  await runHooksAfter(context, moment, { item, call })
}

/** Records how the call ended. Retries while the disk is full: the outcome exists only in memory. */
async function complete(
  { record: { conversation, storage } }: CallContext,
  item: CallItem,
  before: readonly ConversationEvent[] = [],
): Promise<void> {
  const open = conversation.state.core.open[item.id]
  const turnId = open?.turnId ?? null
  const hint = changeHint(open?.hooks) + repeatedHint(conversation.view.repeated, item)
  const told = hint === '' ? item : { ...item, modelText: `${item.modelText ?? ''}${hint}` }
  const event: ConversationEvent = { type: 'item.completed', item: told, ...(turnId === null ? {} : { turnId }) }
  await storage.persist(() => conversation.recordAll([...before, event]))
}

/** Runs one attempt to its end; null for one that is left to the next server. Nothing starts before `execution.started` is on disk; look-ups do not wait for that. */
async function startCall(context: CallContext, { itemId, written }: Call, step: RunStep): Promise<Call | null> {
  const {
    record: { conversation },
    act,
  } = context
  const { plan, attempt, answers, note, grant } = step
  if (grant !== null) act.memory.grants.give(grant, settingsInForce(conversation.state.core).sandbox)
  recordStart(context, step)
  // Before anything is awaited, so that a change of the settings from now on stops the call.
  const terms = { limits: attempt.limits, answers, note, attempt: attempt.number, seenBytes: 0 }
  const callContext = toolContext(context, itemId, terms)
  const { outcome, durationMs } = await runPlan(context, step, callContext.tool).finally(callContext.stop)
  if (outcome.left === true) return null
  const item = finishedItem(step.item, { outcome, attempt, durationMs })
  const block = await findBlock(context, { item, outcome, limits: callContext.limits() })
  const planned = { facts: attempt.facts, plan }
  return { phase: 'ran', itemId, written, attempt, planned, item, block, sandboxBroke: outcome.sandboxBroke === true }
}

async function runPlan(context: CallContext, step: RunStep, tool: ToolContext) {
  const {
    record: { conversation },
    act,
  } = context
  const { item, attempt } = step
  if (item.readOnly === true) return await timedRun(context, step, tool)
  const synced = conversation.synced()
  synced.catch(() => undefined)
  let changed: readonly ChangedPath[] = []
  const record = recordChanges(context, item.id)
  const ran = await act.history.around({
    named: attempt.facts.kind === 'patch' ? attempt.facts.files.map(({ real }) => real) : [],
    record(changes) {
      changed = changes
      return record(changes)
    },
    async run() {
      await synced
      await conversation.mayAct()
      return await timedRun(context, step, tool)
    },
  })
  // A patch puts a new file in the place of one, so that its other names keep what they have.
  if (attempt.facts.kind === 'patch') return ran
  return { ...ran, outcome: await sayWrittenThrough(context, ran.outcome, changed) }
}

async function timedRun({ record: { clock }, signal }: CallContext, { plan }: RunStep, tool: ToolContext) {
  const startedMs = clock.elapsed()
  const outcome = signal.aborted ? notStarted : await plan.run(tool)
  return { outcome, durationMs: Math.round(clock.elapsed() - startedMs) }
}

function recordStart({ record: { conversation } }: CallContext, { item, attempt, payloadHash }: RunStep): void {
  const { rule, reason, approvalId, limits } = item.decision
  conversation.record({
    type: 'execution.started',
    itemId: item.id,
    attempt: attempt.number,
    decidedBy: approvalId === undefined ? { rule, reason } : { approvalId },
    payloadHash,
    ...(limits === undefined ? {} : { limits }),
    ...(item.type === 'fileChange' ? { changes: item.changes } : {}),
  })
}
