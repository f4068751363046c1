import { shownLine } from '@parley/presentation/text/control-characters'
import { formatDuration } from '@parley/presentation/text/formats'
import type { ConversationState, ItemId } from '@parley/protocol'
import { type MenuRow, plainRow } from './menu.ts'

interface BackgroundCommand {
  readonly itemId: ItemId
  readonly title: string
  /** Time of its start in ms since the epoch; null for the user's own command, since no record keeps its start. */
  readonly startedAt: number | null
}

/** Returns the background commands: the model's, then the user's own. */
export function backgroundCommands(
  { inBackground }: { readonly inBackground: readonly ItemId[] },
  state: ConversationState | null,
): readonly BackgroundCommand[] {
  if (state === null) return []
  const { background = {}, open } = state.core
  const ofModel = Object.entries(background).map(([itemId, command]) => ({ itemId, ...command }))
  const own = inBackground.flatMap((itemId) => {
    const item = open[itemId]?.item
    return item === undefined ? [] : [{ itemId, title: item.title, startedAt: null }]
  })
  return [...ofModel, ...own]
}

/** Use of the list: Enter shows the output of a command, or stops it when pressed twice. */
export type BackgroundUse = 'open' | 'stop'

export function backgroundRows(
  commands: readonly BackgroundCommand[],
  use: BackgroundUse,
  nowMs: number,
): readonly MenuRow[] {
  const warning = use === 'stop' ? 'This ends it, with all that it started.' : null
  return commands.map(({ itemId, title, startedAt }) => {
    const time = startedAt === null ? '' : ` for ${formatDuration(Math.floor((nowMs - startedAt) / 1_000) * 1_000)}`
    const text = shownLine(title)
    return { ...plainRow, key: itemId, text, detail: `runs${time}`, warning }
  })
}
