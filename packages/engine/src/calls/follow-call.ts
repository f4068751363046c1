import { isCall } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { limitsOfDecision } from '../limits/narrowed-limits.ts'
import type { CallContext } from '../roles/roles.ts'
import { type PreparedCall, unlessAborted, type Workspace } from '../tools/contract/tool.ts'
import type { Call, CallStep } from './advance-call.ts'
import { finishedItem, type PlannedRun } from './attempt.ts'
import { toolContext } from './call-context.ts'
import { findBlock } from './find-block.ts'

type FollowStep = Extract<CallStep, { kind: 'follow' }>

/** Goes on with a run of an earlier server until its end. Returns null for one that is left to the next. */
export async function followCall(context: CallContext, call: Call, step: FollowStep): Promise<Call | null> {
  const {
    record: { conversation, settingsBefore, clock },
    act,
  } = context
  const { itemId, written } = call
  const open = conversation.state.core.open[itemId]
  if (open === undefined || !isCall(open.item)) return null
  act.memory.runningOn.delete(itemId)
  const { decision } = open
  const attempt = { number: open.failedExecution === undefined ? 1 : 2 } as const
  const seenBytes = open.progress?.totalBytes ?? Buffer.byteLength(open.output)
  // A log of an earlier program does not say its limits: any that became narrower since stop it.
  const terms = { limits: decision?.limits ?? null, since: settingsBefore, answers: null, note: null }
  const callContext = toolContext(context, itemId, { ...terms, attempt: attempt.number, seenBytes })
  const startedMs = clock.elapsed()
  const limits = limitsOfDecision(decision, settingsBefore)
  const run = { ageMs: step.ageMs, limits }
  const outcome = await step.follow(callContext.tool, run).finally(callContext.stop)
  if (outcome.left === true) return null
  const durationMs = Math.round(step.ageMs + clock.elapsed() - startedMs)
  const decided = decision === undefined ? open.item : { ...open.item, decision }
  const item = finishedItem(decided, { outcome, attempt, durationMs })
  const block = await findBlock(context, { item, outcome, limits })
  const planned = block === null ? null : await planAnew(context, step)
  return { phase: 'ran', itemId, written, attempt, planned, item, block, sandboxBroke: outcome.sandboxBroke === true }
}

/** Plans the call for a second run, as after a restart. Returns null where nothing could be run again. */
async function planAnew(
  { signal }: CallContext,
  { prepared, workspace }: { readonly prepared: PreparedCall; readonly workspace: Workspace },
): Promise<PlannedRun | null> {
  try {
    const facts = await unlessAborted(prepared.facts(workspace), signal)
    const plan = facts === null ? null : await unlessAborted(prepared.plan(workspace, facts), signal)
    return facts === null || plan === null || 'problem' in plan ? null : { facts, plan }
  } catch (error) {
    if (error instanceof EnvironmentUnreachableError) return null
    throw error
  }
}
