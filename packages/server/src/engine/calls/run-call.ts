import type { ConversationEvent, ItemId } from '@parley/protocol'
import { type CallItem, isCall } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { unlessAborted } from '../../tools/tool.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import { advanceCall, type Call, type CallStep } from './advance-call.ts'
import type { CallPolicy } from './attempt.ts'
import { exactCall, exactText, understandCall } from './propose-call.ts'
import { startCall } from './start-call.ts'

/** Brings one proposed or approved call as far as it goes now: to its end, or to a question. */
export async function runCall(run: TurnContext, itemId: ItemId): Promise<void> {
  let call = readCall(run, itemId)
  while (call !== null) call = await advance(run, call)
}

/** Returns null for a call that is over, or whose secret was lost with an earlier process. */
function readCall(run: TurnContext, itemId: ItemId): Call | null {
  const { conversation, modules } = run
  const item = conversation.state.core.open[itemId]?.item
  if (item === undefined || !isCall(item)) return null
  const source = exactCall(run, item)
  if (source === null) return null
  const known = { itemId, written: exactText(run, item) }
  const understood = understandCall(modules, source)
  return 'problem' in understood
    ? { ...known, phase: 'invalid', problem: understood.problem, facts: null }
    : { ...known, phase: 'understood', prepared: understood.prepared, workspace: workspaceOf(conversation.state) }
}

/** Takes one step. Returns null once there is no more to do now. */
async function advance(run: TurnContext, call: Call): Promise<Call | null> {
  try {
    return await carryOut(run, call, advanceCall(call, policyOf(run)))
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const { itemId, written } = call
    return { phase: 'unreachable', itemId, written, message: error.message }
  }
}

function policyOf({ conversation, modules, signal }: TurnContext): CallPolicy {
  const { rules, memory, userRules, redaction } = modules
  return {
    state: conversation.state,
    rules,
    sessionGrants: memory.grants,
    policyFile: userRules.file,
    secretsIn: redaction.secretsIn,
    stopped: signal.aborted,
  }
}

async function carryOut(run: TurnContext, call: Call, step: CallStep): Promise<Call | null> {
  switch (step.kind) {
    case 'wait':
      return null
    case 'examine':
      return examine(run, call, step)
    case 'plan':
      return plan(run, call, step)
    case 'ask':
      return ask(run, step)
    case 'deny':
    case 'reject':
    case 'keep':
      await complete(run, step.item)
      if (call.phase === 'ran' && call.sandboxBroke) await run.modules.limits.recheck()
      return null
    case 'run':
      return startCall(run, call, step)
  }
}

type StepOf<Kind extends CallStep['kind']> = Extract<CallStep, { kind: Kind }>

/** Gathers the facts, and looks at the sandbox anew: another conversation may have found that it has become weaker. */
async function examine({ modules, signal }: TurnContext, call: Call, step: StepOf<'examine'>): Promise<Call | null> {
  const { prepared, workspace } = step
  const facts = await unlessAborted(prepared.facts(workspace), signal)
  if (facts === null || signal.aborted) return null
  await unlessAborted(modules.limits.readReport(), signal)
  if (signal.aborted) return null
  modules.limits.recordEnforcement()
  const { itemId, written } = call
  return { phase: 'examined', itemId, written, prepared, workspace, facts }
}

async function plan({ signal }: TurnContext, call: Call, step: StepOf<'plan'>): Promise<Call | null> {
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
  { conversation, modules, patience }: TurnContext,
  { question, failed }: StepOf<'ask'>,
): Promise<null> {
  const approval = { id: modules.ids.approval(), ...question, answerableBy: [...modules.answerers()] }
  const requested: ConversationEvent = { type: 'approval.requested', approval }
  if (failed === null) conversation.record(requested)
  else {
    const execution: ConversationEvent = { type: 'execution.failed', itemId: failed.id, attempt: 1, item: failed }
    await patience.persist(() => conversation.recordAll([execution, requested]))
  }
  return null
}

/** Records how the call ended. Retries while the disk is full: the outcome exists only in memory. */
async function complete({ conversation, patience }: TurnContext, item: CallItem): Promise<void> {
  const turnId = conversation.state.core.open[item.id]?.turnId ?? null
  const event: ConversationEvent = { type: 'item.completed', item }
  await patience.persist(() => conversation.record(turnId === null ? event : { ...event, turnId }))
}
