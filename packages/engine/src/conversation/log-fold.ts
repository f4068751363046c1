import type { LogLine } from '@parley/journal'
import { type ConversationState, type Envelope, reduce } from '@parley/protocol'
import { createModelView, type ModelView } from '../core/model-view.ts'
import type { LogReader } from './journal.ts'
import { createLandmarks, type Landmarks } from './landmarks.ts'

/** State and view of a log, folded line by line. */
export interface LogFold {
  /** Folds a line and returns its event; null for a delta and for a line without an event. */
  take(line: LogLine): Envelope | null
  readonly state: ConversationState
  readonly view: ModelView
  readonly landmarks: Landmarks
}

/** State of a fold before the first line that it takes. */
export interface FoldStart {
  readonly state: ConversationState
  /** Byte offset of place 0. */
  readonly bodyStart?: number
  readonly view?: ModelView
  readonly landmarks?: Landmarks
}

/**
 * Creates the fold of a log. Deltas, most of a log, are kept unread until the state is asked for; each changes only its
 * own item.
 */
export function createLogFold(start: FoldStart, reader: LogReader): LogFold {
  const { bodyStart = 0, view = createModelView(), landmarks = createLandmarks() } = start
  const { conversationId } = start.state.core.meta
  let { state } = start
  let deltas: LogLine[] = []

  function foldLate(): void {
    const late = deltas
    deltas = []
    for (const line of late) fold(line)
  }

  function fold(line: LogLine): Envelope | null {
    const logged = reader.readOwn(line)
    if (logged === null) return null
    // The event restarts its item's output, so earlier deltas must be folded before it.
    if (logged.event.type === 'execution.failed') foldLate()
    const envelope = { conversationId, ...logged }
    const place = line.byteOffset - bodyStart
    state = reduceLate(state, envelope)
    view.apply(envelope.event, { seq: envelope.seq, place })
    landmarks.note(envelope.event.type, place)
    return envelope
  }

  return {
    take(line) {
      if (line.type === 'item.delta') {
        deltas.push(line)
        return null
      }
      const envelope = fold(line)
      if (deltas.length > 0 && Object.keys(state.core.open).length === 0) deltas = []
      return envelope
    },
    get state() {
      foldLate()
      return state
    },
    view,
    landmarks,
  }
}

/** Folds an event whose number is below the state's, which `reduce` alone would skip. */
function reduceLate(state: ConversationState, envelope: Envelope): ConversationState {
  const { seq } = state.core
  if (envelope.seq > seq) return reduce(state, envelope)
  const { core, window } = reduce({ ...state, core: { ...state.core, seq: envelope.seq - 1 } }, envelope)
  return { core: { ...core, seq }, window }
}
