import type { ReplyEvent } from '../ui/keys/key-event.ts'
import type { Geometry } from '../view/erase-zone.ts'

/** Questions to the terminal about its cursor and size; answers come with the keys, in the order of the questions. */
export interface TerminalProbe extends Disposable {
  /** True if the terminal has answered neither the last question nor a later one. */
  readonly isSilent: boolean
  /** Time that the last answer took. */
  readonly latencyMs: number
  /**
   * Asks for the cursor's place, writes `then`, and asks for the terminal's size, all in one write. Calls `found` with
   * the answer; with null if no answer came in time, and then soon, but later than this call.
   */
  ask(then: string, found: (geometry: Geometry | null) => void): void
  /** Takes a reply of the terminal. Returns false for one that was not asked for. */
  take(event: ReplyEvent): boolean
  /** Passes over the answers to all questions so far. */
  cancel(): void
  /** Resolves when no answer is due, or at the time limit. */
  answered(): Promise<void>
}

/** Time for the first answer; afterwards the terminal counts as one that never answers, until it does. */
const answerMs = 300
/** Time for an answer of a terminal that has answered before: a busy one is late, and rows erased by guess stay behind. */
const lateAnswerMs = 2_000

const cursorQuery = '\x1b[6n'
/** Asks from the last cell of the screen, where no move goes beyond, and returns to the cursor's place. */
const sizeQuery = '\x1b7\x1b[9999;9999H\x1b[6n\x1b8'

type Report = ReplyEvent['reply'] & { readonly type: 'cursor' }

interface PendingReport {
  readonly askedMs: number
  /** Call with the answer; null once no call is due. */
  found: ((geometry: Geometry | null) => void) | null
  cursor: Report | null
}

export function createProbe(write: (text: string) => void): TerminalProbe {
  let questions: readonly PendingReport[] = []
  let timer: NodeJS.Timeout | undefined
  let isSilent = false
  let latencyMs = 0
  let hasAnswered = false
  let onAnswered: (() => void)[] = []

  function finish(question: PendingReport, geometry: Geometry | null): void {
    const { found } = question
    question.found = null
    found?.(geometry)
  }

  function giveUp(): void {
    isSilent = true
    const late = questions.filter(({ found }) => found !== null)
    release()
    for (const question of late) finish(question, null)
  }

  function release(): void {
    for (const resolve of onAnswered) resolve()
    onAnswered = []
  }

  return {
    get isSilent() {
      return isSilent
    },
    get latencyMs() {
      return latencyMs
    },
    ask(then, found) {
      if (isSilent) {
        if (then !== '') write(then)
        // Later, because a frame may be half written now.
        setTimeout(found, 0, null)
        return
      }
      questions = [...questions, { askedMs: performance.now(), found, cursor: null }]
      clearTimeout(timer)
      timer = setTimeout(giveUp, hasAnswered ? lateAnswerMs : answerMs)
      write(cursorQuery + then + sizeQuery)
    },
    take({ reply }) {
      const [question] = questions
      if (reply.type !== 'cursor' || question === undefined) return false
      isSilent = false
      hasAnswered = true
      if (question.cursor === null) {
        question.cursor = reply
        return true
      }
      questions = questions.slice(1)
      latencyMs = performance.now() - question.askedMs
      if (questions.length === 0) {
        clearTimeout(timer)
        release()
      }
      finish(question, geometryOf(question.cursor, reply))
      return true
    },
    cancel() {
      for (const question of questions) question.found = null
    },
    answered: () =>
      questions.length === 0 || isSilent ? Promise.resolve() : new Promise((resolve) => onAnswered.push(resolve)),
    [Symbol.dispose]() {
      clearTimeout(timer)
      questions = []
      release()
    },
  }
}

/** Returns the geometry; null from a terminal that answers both questions after all of the write, from one place. */
function geometryOf(cursor: Report, last: Report): Geometry | null {
  if (cursor.row === last.row && cursor.column === last.column) return null
  return { columns: last.column, rows: last.row, cursor: { row: cursor.row - 1, column: cursor.column - 1 } }
}
