import { windowLimit } from '@parley/protocol'
import type { LogOffset } from '../core/view/view-blocks.ts'

/** Places of lines that a checkpoint refers to instead of holding their content. */
export interface CheckpointPlaces {
  note(type: string, place: LogOffset): void
  places(): NamedPlaces
}

export interface NamedPlaces {
  /** All lines that set rights. A cache must not be able to allow more than the log. */
  readonly rights: readonly LogOffset[]
  /** Lines of the newest finished items. */
  readonly window: readonly LogOffset[]
}

/** Events that change the settings or the folder. No approval is open at a checkpoint. */
export const rightTypes: ReadonlySet<string> = new Set([
  'conversation.created',
  'conversation.configured',
  'conversation.moved',
])

export function trackCheckpointPlaces(earlier: NamedPlaces = { rights: [], window: [] }): CheckpointPlaces {
  const rights = [...earlier.rights]
  const window = [...earlier.window]
  return {
    note(type, place) {
      if (rightTypes.has(type)) rights.push(place)
      if (type !== 'item.completed') return
      window.push(place)
      if (window.length > 2 * windowLimit) window.splice(0, window.length - windowLimit)
    },
    places: () => ({ rights: [...rights], window: window.slice(-windowLimit) }),
  }
}
