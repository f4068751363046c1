import type { ReplyEvent } from '../ui/keys/key-event.ts'
import type { Geometry } from '../view/erase-zone.ts'

/** Questions to the terminal about its cursor and size, whose answers come with the keys. */
export interface TerminalProbe extends Disposable {
  /**
   * Asks, and calls `found` with the answer; with null if none came in time. Replaces an earlier question, whose answer
   * is passed over.
   */
  ask(found: (geometry: Geometry | null) => void): void
  /** Takes a reply of the terminal. Returns false for one that was not asked for. */
  take(event: ReplyEvent): boolean
  /** Passes over the answer to the question under way. */
  cancel(): void
}

/** Time for an answer; afterwards the terminal counts as one that never answers, until it does. */
const answerMs = 300

/** Asks where the cursor is, and again from the last cell of the screen, where no move goes beyond. */
export const geometryQuery = '\x1b[6n\x1b7\x1b[9999;9999H\x1b[6n\x1b8'
const reportsEach = 2

type Report = ReplyEvent['reply'] & { readonly type: 'cursor' }

export function createProbe(write: (text: string) => void): TerminalProbe {
  let found: ((geometry: Geometry | null) => void) | null = null
  let timer: NodeJS.Timeout | undefined
  /** Reports that are to come, those passed over included. */
  let owed = 0
  let first: Report | null = null
  let isSilent = false

  function cancel(): void {
    clearTimeout(timer)
    found = null
  }

  function finish(geometry: Geometry | null): void {
    const call = found
    cancel()
    call?.(geometry)
  }

  return {
    ask(next) {
      cancel()
      found = next
      if (isSilent) {
        // Later, because a frame may be half written now.
        timer = setTimeout(() => finish(null), 0)
        return
      }
      owed += reportsEach
      timer = setTimeout(() => {
        isSilent = true
        finish(null)
      }, answerMs)
      write(geometryQuery)
    },
    take({ reply }) {
      if (reply.type !== 'cursor' || owed === 0) return false
      isSilent = false
      owed -= 1
      if (owed === 1) first = reply
      if (owed === 0 && first !== null) finish(geometryOf(first, reply))
      return true
    },
    cancel,
    [Symbol.dispose]: cancel,
  }
}

function geometryOf(cursor: Report, last: Report): Geometry {
  return { columns: last.column, rows: last.row, cursor: { row: cursor.row - 1, column: cursor.column - 1 } }
}
