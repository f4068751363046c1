import type { ConversationEvent } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { ConversationCore, HooksStarted } from '../schema/state.ts'

/** Parts of a conversation that stay open after its program has ended. */
export interface StaysOpen {
  readonly turn: ConversationCore['turn']
  /** Calls that wait for a person, or go on with the turn. */
  readonly calls: Pick<ReadonlySet<ItemId>, 'has'>
}

/**
 * Returns the fate of the interrupted hooks of a moment. `again`: the guarded action has not happened and waits for the
 * hooks. `rest`: no action waits, so the hook that may have begun does not run twice, and the later hooks run. `lost`:
 * no hook runs.
 */
function fateOf(
  { on, itemId, hooks }: HooksStarted,
  { turn, calls }: StaysOpen,
  core: ConversationCore,
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
function isCompacting({ open }: ConversationCore): boolean {
  return Object.values(open).some(({ item }) => item.type === 'contextCompaction')
}

/** Returns the events that settle the hooks that a program left running; hooks that run again need no event. */
export function recoverHooks(core: ConversationCore, stays: StaysOpen): readonly ConversationEvent[] {
  return (core.hooks ?? []).flatMap((moment) => {
    const fate = fateOf(moment, stays, core)
    if (fate === 'again') return []
    return fate === 'rest' ? firstLost(moment) : lostHooks(moment)
  })
}

/** Returns the event that the hooks of a moment do not run again; the model learns of hooks after a call. */
export function lostHooks({ hooks: [first, ...rest], on, ...about }: HooksStarted): readonly ConversationEvent[] {
  if (first === undefined) return []
  const { required: _, ...hook } = first
  const told = on === 'PostToolUse' ? { context: cutOffText(rest) } : {}
  const reason = 'it was cut off, and does not run again'
  return [{ type: 'hook.ran', hook, ...about, outcome: 'interrupted', reason, ...told, durationMs: 0 }]
}

/** Returns the events that the first hook of a moment does not run again, and that the later hooks run. */
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
export function cutOffHooks({ hooks = [] }: ConversationCore, settling: readonly ConversationEvent[]): CutOffHooks {
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
