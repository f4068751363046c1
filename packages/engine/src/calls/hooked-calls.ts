import type { ModelCall } from '@parley/models'
import {
  type CallItem,
  type ConversationEvent,
  type HooksSaid,
  type ItemId,
  isCall,
  lostHooks,
  type TurnId,
} from '@parley/protocol'
import type { HookMoment, RanHook } from '../hooks/conversation-hooks.ts'
import { eventsOfRun } from '../hooks/hook-events.ts'
import { callInput, commonInput } from '../hooks/hook-input.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import type { CallContext } from '../roles/roles.ts'
import { exactCall, keepExact, understandCall, unrestorable } from './propose-call.ts'

/** Largest arguments of a hook, as JSON; the state holds them until the call has run. */
const maxArgumentBytes = 256 * 1024

/** Returns the moment of hooks before a call. `said` is the log's record of hooks that have run. */
export function beforeCall({ id, tool }: CallItem, said: HooksSaid | undefined): HookMoment {
  return { on: 'PreToolUse', subject: tool, itemId: id, ...(said === undefined ? {} : { ran: said.ran }) }
}

/** A call as the hooks so far have left it, with the events of their runs. */
interface Hooked {
  readonly item: CallItem
  readonly call: ModelCall
  readonly events: readonly ConversationEvent[]
  /** True once a hook asked for a change that is not a valid call. */
  readonly isSpoilt?: true
}

/** Runs the hooks before a call and records their results in one write. Records nothing when they are interrupted. */
export async function runHooksBefore(context: CallContext, itemId: ItemId): Promise<void> {
  const {
    record: { conversation, storage },
    act,
    signal,
  } = context
  const { item, hooks } = conversation.state.core.open[itemId] ?? {}
  const call = item !== undefined && isCall(item) ? exactCall(context, item) : null
  if (item === undefined || !isCall(item) || call === null) return
  let hooked: Hooked = { item, call, events: [] }
  const input = () => ({
    hook_event_name: 'PreToolUse' as const,
    ...commonInput(conversation.state),
    ...callInput(hooked.item, hooked.call),
  })
  for await (const ran of act.hooks.run(beforeCall(item, hooks), input, signal)) {
    if (ran.finding.outcome === 'interrupted') return
    hooked = hookedBy(ran, hooked, context)
    if (hooked.isSpoilt) break
  }
  await storage.persist(() => conversation.recordAll(hooked.events), signal)
  if (hooked.call !== call) keepChanged(context, itemId, hooked.call)
}

/** Keeps a changed call in memory where it holds a secret, or replaces one that did. */
function keepChanged(context: CallContext, itemId: ItemId, call: ModelCall): void {
  const { memory } = context.act
  const { redaction } = context.record
  if (memory.exactCalls.find(itemId) !== undefined || redaction.hasSecret(call.arguments))
    keepExact(context, itemId, call)
}

function hookedBy(ran: RanHook, { item, call, events }: Hooked, context: CallContext): Hooked {
  const { ids } = context.record
  const turnId = context.record.conversation.state.core.open[item.id]?.turnId ?? null
  const about = { itemId: item.id, ...(turnId === null ? {} : { turnId }) }
  const changed = changedBy(ran, { item, call }, context)
  if (changed === null) return { item, call, events: [...events, ...eventsOfRun(ran, about, ids)] }
  if ('problem' in changed)
    return { item, call, isSpoilt: true, events: [...events, ...eventsOfRun(spoilt(ran, changed.problem), about, ids)] }
  const rewritten = { arguments: changed.call.arguments, item: changed.item }
  return { ...changed, events: [...events, ...eventsOfRun(ran, { ...about, rewritten }, ids)] }
}

type ChangedCall = Pick<Hooked, 'item' | 'call'>

/** Returns the call as a hook changes it; null without a change, and a problem where the changed call is not valid. */
function changedBy(
  { finding }: RanHook,
  { item, call }: ChangedCall,
  context: CallContext,
): ChangedCall | { readonly problem: string } | null {
  const { conversation, redaction } = context.record
  const { updatedInput, outcome } = finding
  if (updatedInput === undefined || outcome !== 'asked') return null
  const changed = { ...call, name: item.tool, arguments: JSON.stringify(updatedInput) }
  if (jsonBytes(changed.arguments) > maxArgumentBytes)
    return { problem: `its updatedInput is larger than ${maxArgumentBytes / 1024} KiB` }
  const understood = understandCall(context, changed)
  if ('problem' in understood) return { problem: `its updatedInput does not fit: ${understood.problem}` }
  const { tool, prepared } = understood
  if (tool.name !== item.tool) return { problem: `its updatedInput makes another call of it, of ${tool.name}` }
  const described = prepared.describe(workspaceOf(conversation.state))
  const { id, status, restorable } = item
  const own = { id, status, tool: tool.name, ...(tool.readOnly ? { readOnly: true as const } : {}) }
  const known: CallItem = { ...own, ...described, ...(restorable === undefined ? {} : { restorable }) }
  return { call: changed, item: redaction.hasSecret(changed.arguments) ? unrestorable(known) : known }
}

/** Returns the run as one that stops: a call that a hook wanted otherwise does not run as it was. */
function spoilt(ran: RanHook, problem: string): RanHook {
  const { updatedInput: _, ...finding } = ran.finding
  return { ...ran, finding: { ...finding, outcome: 'stopped', reason: problem } }
}

/** Call that has run. */
interface FinishedCall {
  readonly item: CallItem
  readonly call: ModelCall
}

/** Returns the moment of hooks after a call. */
export function afterCall({ id, tool }: CallItem, turnId: TurnId | null): HookMoment {
  return { on: 'PostToolUse', subject: tool, itemId: id, ...(turnId === null ? {} : { turnId }) }
}

/** Runs the hooks after a call with a recorded outcome, and records the result of each. */
export async function runHooksAfter(
  context: CallContext,
  moment: HookMoment,
  { item, call }: FinishedCall,
): Promise<void> {
  const {
    record: { conversation, ids, storage },
    act,
    signal,
  } = context
  const { turnId } = moment
  const about = { itemId: item.id, ...(turnId === undefined ? {} : { turnId }) }
  const exitCode = item.type === 'commandExecution' ? (item.exitCode ?? null) : null
  const input = () => ({
    hook_event_name: 'PostToolUse' as const,
    ...commonInput(conversation.state),
    ...callInput(item, call),
    status: endStatus(item),
    tool_response: item.modelText ?? '',
    ...(exitCode === null ? {} : { exit_code: exitCode }),
  })
  for await (const ran of act.hooks.run(moment, input, signal))
    await storage.persist(() => conversation.recordAll(eventsOfRun(ran, about, ids)), signal)
}

/**
 * Runs the hooks after calls that an earlier process has left, or records that they are lost. Resolves to false where
 * no hooks were left.
 */
export async function runHooksLeft(context: CallContext): Promise<boolean> {
  const { hooks } = context.act
  const moments = hooks.takeLeft()
  for (const left of moments) {
    const ended = endedCall(context, left.itemId)
    const moment = ended === null ? null : { ...afterCall(ended.item, left.turnId ?? null), left: left.hooks }
    if (ended !== null && moment !== null && hooks.has(moment)) await runHooksAfter(context, moment, ended)
    else await context.record.storage.persist(() => context.record.conversation.recordAll(lostHooks(left)))
  }
  return moments.length > 0
}

/** Returns a call that has ended; null where it is not known any more. */
function endedCall(context: CallContext, itemId: ItemId | undefined): FinishedCall | null {
  const item = context.record.conversation.state.window.find((one) => one.item.id === itemId)?.item
  if (item === undefined || !isCall(item)) return null
  const call = exactCall(context, item)
  return call === null ? null : { item, call }
}

function endStatus({ status }: CallItem): 'completed' | 'failed' | 'interrupted' | 'unknown' {
  return status === 'completed' || status === 'failed' || status === 'interrupted' ? status : 'unknown'
}
