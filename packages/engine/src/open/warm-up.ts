import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import type { LiveConversation } from '../live/live-conversation.ts'

/** Time for the client to paint its first frames, and for a script to send its message. */
const pauseMs = 300

/** Loads the code for the next message, a third of its time to the model, unless a turn runs by then. */
export function warmUpInPause({ conversation, roles, turns }: LiveConversation): void {
  const warmUp = () => {
    if (conversation.readOnly || turns.running) return
    roles.model.requests.warmUp()
    loadLazyParts()
  }
  setTimeout(warmUp, pauseMs).unref()
}

/** Loads the parts of Node that the first line of a log takes. */
function loadLazyParts(): void {
  crc32('')
  isDeepStrictEqual({}, {})
}
