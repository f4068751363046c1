import type { Envelope } from '../schema/event.ts'
import type { Item } from '../schema/item.ts'
import type { ConversationCore } from '../schema/state.ts'
import { without } from './approvals.ts'

/** Code of the notice that the background commands of an earlier session no longer run. */
export const backgroundLost = 'backgroundLost'

/**
 * Adds a command that continues in the background, or removes the commands that an item reports as ended, with the
 * waits for their output.
 */
export function reduceBackground(core: ConversationCore, item: Item, { at }: Pick<Envelope, 'at'>): ConversationCore {
  if (goesOn(item)) {
    const { title, durationMs = 0 } = item
    return { ...core, background: { ...core.background, [item.id]: { title, startedAt: at - durationMs } } }
  }
  const ended = endedBy(core, item)
  return ended.length === 0 ? core : withoutWaitsFor(withoutBackground(core, ended), ended)
}

/** Returns the commands that a finished item reports as ended. */
function endedBy({ background = {} }: ConversationCore, item: Item): readonly string[] {
  if (item.type !== 'notice') return [item.id]
  return item.code === backgroundLost ? Object.keys(background) : (item.ended ?? []).map(({ itemId }) => itemId)
}

function withoutBackground(core: ConversationCore, ended: readonly string[]): ConversationCore {
  const { background, ...rest } = core
  if (background === undefined) return core
  const left = ended.reduce((running, itemId) => without(running, itemId), background)
  return Object.keys(left).length === 0 ? rest : { ...rest, background: left }
}

function withoutWaitsFor(core: ConversationCore, ended: readonly string[]): ConversationCore {
  const waits = core.waits?.filter(({ itemId }) => !ended.includes(itemId))
  return waits === undefined ? core : withWaits(core, waits)
}

/** Replaces the lines that users wait for. */
export function withWaits(
  { waits: _before, ...core }: ConversationCore,
  waits: NonNullable<ConversationCore['waits']>,
): ConversationCore {
  return waits.length === 0 ? core : { ...core, waits }
}

/** Tells if a finished item is a command that went on in the background after its call had answered. */
export function goesOn(item: Item): item is Extract<Item, { type: 'commandExecution' }> {
  if (item.type !== 'commandExecution' || item.background !== true || item.status !== 'completed') return false
  // A command that had ended by the time of its answer has an exit code or a signal.
  return item.exitCode === undefined && item.signal === undefined
}
