import type { Envelope } from '../schema/event.ts'
import type { Item } from '../schema/item.ts'
import type { Core } from '../schema/state.ts'
import { without } from './approvals.ts'

/** Code of the notice that no background command of an earlier session runs any more. */
export const backgroundLost = 'backgroundLost'

/** Adds a command that goes on in the background, or takes away those whose end an item says, with what waits for them. */
export function reduceBackground(core: Core, item: Item, { at }: Pick<Envelope, 'at'>): Core {
  if (goesOn(item)) {
    const { title, durationMs = 0 } = item
    return { ...core, background: { ...core.background, [item.id]: { title, startedAt: at - durationMs } } }
  }
  const ended = endedBy(core, item)
  return ended.length === 0 ? core : withoutWaitsFor(withoutBackground(core, ended), ended)
}

/** Returns the commands that a finished item says the end of. */
function endedBy({ background = {} }: Core, item: Item): readonly string[] {
  if (item.type !== 'notice') return [item.id]
  return item.code === backgroundLost ? Object.keys(background) : endedIn(item)
}

function withoutBackground(core: Core, ended: readonly string[]): Core {
  const { background, ...rest } = core
  if (background === undefined) return core
  const left = ended.reduce((running, itemId) => without(running, itemId), background)
  return Object.keys(left).length === 0 ? rest : { ...rest, background: left }
}

function withoutWaitsFor(core: Core, ended: readonly string[]): Core {
  return core.waits === undefined
    ? core
    : withWaits(
        core,
        core.waits.filter(({ itemId }) => !ended.includes(itemId)),
      )
}

/** Replaces the lines that users wait for. */
export function withWaits({ waits: _before, ...core }: Core, waits: NonNullable<Core['waits']>): Core {
  return waits.length === 0 ? core : { ...core, waits }
}

/** Tells if a finished item is a command that went on in the background after its call had answered. */
export function goesOn(item: Item): item is Extract<Item, { type: 'commandExecution' }> {
  if (item.type !== 'commandExecution' || item.background !== true || item.status !== 'completed') return false
  // A command that had ended by the time of its answer has an exit code or a signal.
  return item.exitCode === undefined && item.signal === undefined
}

function endedIn({ ended }: Extract<Item, { type: 'notice' }>): readonly string[] {
  return (ended ?? []).map(({ itemId }) => itemId)
}
