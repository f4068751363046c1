import { ConfigError } from '@parley/config'
import {
  type CallItem,
  type ConversationEvent,
  type ItemId,
  isCall,
  type SandboxMode,
  settingsInForce,
} from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { withHint } from '../core/view/hints.ts'
import { repeatedHint } from '../core/view/repeated-calls.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { CallContext, PeopleRole } from '../roles/roles.ts'
import { unlessAborted } from '../tools/contract/tool.ts'
import { advanceCall, type CallStep, type PhasedCall } from './advance-call.ts'
import { isSealed } from './approval-request.ts'
import type { CallPolicy } from './attempt.ts'
import { followCall, startCall } from './execute-call.ts'
import { changeHint } from './hook-effects.ts'
import { afterCall, beforeCall, runHooksAfter, runHooksBefore } from './hooked-calls.ts'
import { exactCall, exactText, understandCall } from './propose-call.ts'

/** Brings one proposed or approved call as far as it goes now: to its end, or to a question. */
export async function runCall(context: CallContext, itemId: ItemId): Promise<void> {
  let call = readCall(context, itemId)
  while (call !== null) call = await advance(context, call)
}

/** Returns null for a call that is over, or that lost its secret with an earlier process. */
function readCall(context: CallContext, itemId: ItemId, isHooked = false): PhasedCall | null {
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
    ? { ...known, phase: 'invalid', ...understood, facts: null }
    : {
        ...known,
        phase: 'understood',
        prepared: understood.prepared,
        workspace: workspaceOf(conversation.state),
        isHooked,
      }
}

/** Takes one step. Returns null once there is no more to do now. */
async function advance(context: CallContext, call: PhasedCall): Promise<PhasedCall | null> {
  try {
    return await carryOut(context, call, advanceCall(call, policyOf(context)))
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const { itemId, written } = call
    return { phase: 'unreachable', itemId, written, message: error.message }
  }
}

async function carryOut(context: CallContext, call: PhasedCall, step: CallStep): Promise<PhasedCall | null> {
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

/**
 * Throws for a conversation that has not reached its machine since it opened: the rules of its project are not known.
 */
function assertProjectRead({ act: { project } }: CallContext): void {
  if (!project.isRead) throw project.problem ?? new EnvironmentUnreachableError('Its machine was not reached yet.')
}

type StepOf<Kind extends CallStep['kind']> = Extract<CallStep, { kind: Kind }>

/** Gathers the facts, and looks at the sandbox anew: another conversation may have found that it has become weaker. */
async function examine(
  { act, signal }: CallContext,
  call: PhasedCall,
  step: StepOf<'examine'>,
): Promise<PhasedCall | null> {
  const { prepared, workspace } = step
  const facts = await unlessAborted(prepared.facts(workspace), signal)
  if (facts === null || signal.aborted) return null
  await unlessAborted(act.limits.readReport(), signal)
  if (signal.aborted) return null
  act.limits.recordEnforcement()
  const { itemId, written } = call
  return { phase: 'examined', itemId, written, prepared, workspace, facts }
}

async function plan({ signal }: CallContext, call: PhasedCall, step: StepOf<'plan'>): Promise<PhasedCall | null> {
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
  const hooked = withHint(item, 'hookChange', changeHint(open?.hooks))
  const ended = withHint(hooked, 'repetition', repeatedHint(conversation.view.calls.repeated, item))
  const event: ConversationEvent = { type: 'item.completed', item: ended, ...(turnId === null ? {} : { turnId }) }
  await storage.persist(() => conversation.recordAll([...before, event]))
}

/** Returns all that a call is judged by, as it is now. */
function policyOf({ record, act, people, signal }: CallContext): CallPolicy {
  const { conversation, redaction } = record
  const { hooks, memory } = act
  return {
    state: conversation.state,
    rules: people.rules,
    sessionGrants: memory.grants.under(settingsInForce(conversation.state.core).sandbox),
    isOwnAnswer: (approval) => isSealed(approval, conversation.state.core.meta.conversationId, redaction),
    hasHooks: (item, said) => hooks.has(beforeCall(item, said)),
    policyFile: people.userRules.file,
    // Read for plans only, and from the file of the configuration.
    get ceiling() {
      return ceilingNow(people)
    },
    secretsIn: redaction.secretsIn,
    runningOnMs: ({ id }) => memory.runningOn.get(id) ?? null,
    stopped: signal.aborted,
  }
}

/** Returns the ceiling; the strictest while the configuration cannot be read. */
function ceilingNow({ ceiling }: PeopleRole): SandboxMode {
  try {
    return ceiling().sandbox
  } catch (error) {
    if (error instanceof ConfigError) return 'read-only'
    throw error
  }
}
