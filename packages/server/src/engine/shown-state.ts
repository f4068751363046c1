import type { ConversationState } from '@parley/protocol'
import { jsonBytes } from './json-bytes.ts'
import { newestWithin, replyLimit } from './reply-size.ts'
import { shortenTexts } from './shorten-texts.ts'

/** JSON bytes of a state and of its core alone: with what carries it, it has to fit in one line of the wire. */
const stateBytes = 24 << 20
const coreBytes = 16 << 20

/** Characters of each text in a core that is too large, tried in this order; an id or the name of a file has fewer. */
const textLengths = [64 * 1024, 8 * 1024, 1024, 256]

/** The state as clients get it: older items, which can be read, are left out where all of them would be too much. */
export function shownState(state: ConversationState): ConversationState {
  const core = shownCore(state.core)
  const window = newestWithin(state.window, jsonBytes, Math.min(replyLimit, stateBytes - jsonBytes(core)))
  return window.length === state.window.length && core === state.core ? state : { core, window }
}

/** The core with its texts cut where it is too large: a log of an earlier version may hold more than is recorded now. */
function shownCore(core: ConversationState['core']): ConversationState['core'] {
  let shown = core
  for (const length of textLengths) {
    if (jsonBytes(shown) <= coreBytes) break
    shown = shortenTexts(core, length)
  }
  return shown
}
