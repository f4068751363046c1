import type { ConversationEvent } from './schema/event.ts'
import type { ItemId } from './schema/ids.ts'
import type { Core, HooksStarted } from './schema/state.ts'

/** Parts of a conversation that stay open though its program has ended. */
export interface StaysOpen {
  readonly turn: Core['turn']
  /** Calls that wait for a person, or go on with the turn. */
  readonly calls: Pick<ReadonlySet<ItemId>, 'has'>
}

/**
 * Returns what becomes of the hooks of a moment that were cut off. `again`: what they guard has not happened, and waits
 * for them. `rest`: nothing waits, so the one that may have begun does not run twice; those after it run. `lost`: none runs.
 */
function fateOf(
  { on, itemId, hooks }: HooksStarted,
  { turn, calls }: StaysOpen,
  core: Core,
): 'again' | 'rest' | 'lost' {
  switch (on) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return itemId !== undefined && calls.has(itemId) ? 'again' : 'lost'
    case 'SessionStart':
    case 'UserPromptSubmit':
    case 'Stop':
      return turn === null ? 'lost' : 'again'
    case 'PreCompact':
      return turn === null || isCompacting(core) ? 'lost' : 'again'
    case 'PostToolUse':
      if (turn === null) return 'lost'
      return hooks[0]?.required === true ? 'again' : 'rest'
    case 'PermissionDecision':
    case 'Notification':
    case 'SessionEnd':
      return 'lost'
  }
}

/** Tells if a user asked for a compaction, which ends as interrupted. */
function isCompacting({ open }: Core): boolean {
  return Object.values(open).some(({ item }) => item.type === 'contextCompaction')
}

/** Returns the events that settle the hooks that a program left running; those that run again stay as they are. */
export function recoverHooks(core: Core, stays: StaysOpen): readonly ConversationEvent[] {
  return (core.hooks ?? []).flatMap((moment) => {
    const fate = fateOf(moment, stays, core)
    if (fate === 'again') return []
    return fate === 'rest' ? firstLost(moment) : lostHooks(moment)
  })
}

/** Returns the event that none of the hooks of a moment runs again; the model is told of those after a call. */
export function lostHooks({ hooks: [first, ...rest], on, ...about }: HooksStarted): readonly ConversationEvent[] {
  if (first === undefined) return []
  const { required: _, ...hook } = first
  const told = on === 'PostToolUse' ? { context: cutOffText(rest) } : {}
  const reason = 'it was cut off, and does not run again'
  return [{ type: 'hook.ran', hook, ...about, outcome: 'interrupted', reason, ...told, durationMs: 0 }]
}

/** Returns the events that the first hook of a moment does not run again, and those after it run. */
function firstLost(moment: HooksStarted): readonly ConversationEvent[] {
  const { hooks } = moment
  const rest = hooks.slice(1)
  const lost = lostHooks({ ...moment, hooks: hooks.slice(0, 1) })
  return rest.length === 0 ? lost : [...lost, { type: 'hooks.started', ...moment, hooks: rest }]
}

function cutOffText(notRun: readonly HooksStarted['hooks'][number][]): string {
  const others = notRun.length === 0 ? '' : ` Not run after it: ${notRun.map(({ name }) => name).join(', ')}.`
  return `It was cut off as the program ended, and does not run again: what it has done, and would have said, is not known.${others}`
}

/** Hooks that a program left running, in words. */
export interface CutOffHooks {
  readonly again: readonly string[]
  readonly unknown: readonly string[]
  readonly notRun: readonly string[]
}

/** Names the hooks that a program left running, by the events that settle its conversation. */
export function cutOffHooks({ hooks = [] }: Core, settling: readonly ConversationEvent[]): CutOffHooks {
  const again: string[] = []
  const unknown: string[] = []
  const notRun: string[] = []
  for (const { on, itemId, hooks: left } of hooks) {
    const [first = '', ...rest] = left.map(({ name }) => `${name} (${on})`)
    const isItsEnd = (event: ConversationEvent) =>
      event.type === 'hook.ran' && event.hook.on === on && event.itemId === itemId && event.hook.name === left[0]?.name
    const goesOn = (event: ConversationEvent) =>
      event.type === 'hooks.started' && event.on === on && event.itemId === itemId
    if (!settling.some(isItsEnd)) again.push(first)
    else {
      unknown.push(first)
      if (!settling.some(goesOn)) for (const call of rest) notRun.push(call)
    }
  }
  return { again, unknown, notRun }
}
