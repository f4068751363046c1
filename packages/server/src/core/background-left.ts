import type { Item, ItemId } from '@parley/protocol'

/** Code of the notice that the background commands so far no longer run. */
export const backgroundLost = 'backgroundLost'

/** Notes a command that was left in the background, by its item. */
export function noteBackground(background: Map<ItemId, string>, item: Item): void {
  if (item.type !== 'commandExecution' || item.background !== true) return
  // A command that had ended by the time of its answer has an exit code or a signal.
  const isOver = item.exitCode !== undefined || item.signal !== undefined
  if (item.status === 'completed' && !isOver) background.set(item.id, item.title)
}

/** Returns the notice's title for people. */
export function lostTitle(background: ReadonlyMap<ItemId, string>): string {
  const names = [...background].map(([id, title]) => `${title} (${id})`).join(', ')
  const which = background.size === 1 ? 'A background command' : `${background.size} background commands`
  const run = background.size === 1 ? 'runs' : 'run'
  return `${which} of an earlier session no longer ${run} here: ${names}. Start anew what is still needed.`
}

/** Returns what the model reads at the place of the notice. The names of the commands come from it and are left out. */
export function lostText(background: ReadonlyMap<ItemId, string>): string {
  const ids = [...background.keys()].join(', ')
  return `[Notice of parley, not written by the user. These background processes belong to an earlier session; they no longer run here and can be neither read nor stopped: ${ids}. Start anew what is still needed.]`
}
