import { answerIn, type ItemOf } from '@parley/protocol'
import type { HookInput } from '@parley/protocol/hooks'
import type { HookMoment } from '../hooks/conversation-hooks.ts'
import { eventsOfRun } from '../hooks/hook-events.ts'
import { commonInput } from '../hooks/hook-input.ts'
import type { TurnContext } from '../roles/roles.ts'

type HookContext = Pick<TurnContext, 'record' | 'act' | 'signal'>

/** Number of times that hooks may let a turn go on: one that always does would never let it end. */
const maxHeldOpen = 10

/**
 * Runs the hooks of the session's start, once in a process; interrupted hooks run again with the next step. Resolves to
 * false without such hooks.
 */
export async function runSessionStart(context: HookContext): Promise<boolean> {
  const { hooks } = context.act
  const moment = hooks.begin()
  if (moment === null) return false
  const hasAny = hooks.has(moment)
  const source = moment.subject === 'resume' ? 'resume' : 'startup'
  const { isWhole } = await runAndRecord(context, moment, () => ({
    hook_event_name: 'SessionStart',
    ...commonInput(context.record.conversation.state),
    source,
  }))
  if (isWhole) hooks.hasBegun(moment)
  return hasAny
}

/** Runs the hooks before the end of a turn. Resolves to true where it does not end now: one lets it go on, or a message came. */
export async function runStopHooks(context: HookContext): Promise<boolean> {
  const {
    record: { conversation },
  } = context
  const { turn } = conversation.state.core
  const heldOpen = turn?.heldOpen ?? 0
  if (turn === null || turn.trigger === 'compaction' || heldOpen >= maxHeldOpen) return false
  await runAndRecord(context, { on: 'Stop', subject: '' }, () => ({
    hook_event_name: 'Stop',
    ...commonInput(conversation.state),
    stop_hook_active: heldOpen > 0,
    last_assistant_message: lastMessage(context),
  }))
  const { turn: now, inbox, inboxPaused } = conversation.state.core
  const isSteered = !inboxPaused && inbox.some(({ when }) => when === 'steer')
  return now === null || now.goesOn === true || now.stoppedBy !== undefined || isSteered || context.signal.aborted
}

function lastMessage({ record: { conversation } }: HookContext): string {
  return answerIn(conversation.state.window.map(({ item }) => item)) ?? ''
}

/**
 * Runs the hooks before a compaction. Resolves to true where one stops a compaction that a user asked for; one that is due
 * goes on, since the next request would not fit.
 */
export async function runCompactHooks(
  context: HookContext,
  item: ItemOf<'contextCompaction'> | null,
): Promise<boolean> {
  const {
    record: { conversation },
  } = context
  const trigger = item?.trigger === 'manual' ? 'manual' : 'auto'
  const { stopped } = await runAndRecord(context, { on: 'PreCompact', subject: trigger }, () => ({
    hook_event_name: 'PreCompact',
    ...commonInput(conversation.state),
    trigger,
    custom_instructions: item?.instructions ?? '',
  }))
  if (context.signal.aborted || conversation.state.core.turn?.stoppedBy !== undefined) return true
  if (stopped === null || item === null || trigger === 'auto') return false
  const failure = { code: 'stoppedByHook', message: stopped }
  const turn = conversation.state.core.turn
  const ended = { ...item, status: 'failed' as const, title: `Not compacted: ${stopped}`, failure }
  conversation.record({ type: 'item.completed', ...(turn === null ? {} : { turnId: turn.id }), item: ended })
  return true
}

/** Outcome of the hooks of a moment. */
interface RanHooks {
  /** Reason of the hook that stops the moment, or null. */
  readonly stopped: string | null
  /** False after an interrupted hook: the hooks after it have not run. */
  readonly isWhole: boolean
}

/** Runs the hooks of a moment and records what each says, which only memory has: on a full disk that waits for room. */
async function runAndRecord(context: HookContext, moment: HookMoment, input: () => HookInput): Promise<RanHooks> {
  const {
    record: { conversation, ids, storage },
    act,
    signal,
  } = context
  if (!act.hooks.has(moment)) return { stopped: null, isWhole: true }
  const { turn } = conversation.state.core
  const about = turn === null ? {} : { turnId: turn.id }
  let stopped: string | null = null
  let isWhole = true
  for await (const ran of act.hooks.run({ ...moment, ...about }, input, signal)) {
    const { outcome, reason = '' } = ran.finding
    await storage.persist(() => conversation.recordAll(eventsOfRun(ran, about, ids)), signal)
    if (outcome === 'stopped') stopped = `the hook "${ran.hook.name}" stopped it: ${reason}`
    if (outcome === 'interrupted') isWhole = false
  }
  return { stopped, isWhole: isWhole && !signal.aborted }
}
