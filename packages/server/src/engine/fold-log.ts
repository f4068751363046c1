import { type LogLine, textOf } from '@parley/journal'
import { type ConversationState, type Envelope, reduce } from '@parley/protocol'
import { createModelView, type ModelView } from '../core/model-view.ts'
import type { LogReader } from './log-reader.ts'

/** State and view of a log, folded line by line. */
export interface LogFold {
  /** Returns the event that was folded now; null for a delta, and for a line that holds none. */
  take(line: LogLine): Envelope | null
  readonly state: ConversationState
  readonly view: ModelView
}

/**
 * Deltas are most of a log and mean nothing once their item is complete, so they are kept as they are while an item is
 * open, and read only if it still is when the state is asked for. Later than their turn, which is the same: a delta
 * changes nothing but its own item.
 */
export function createLogFold(start: ConversationState, reader: LogReader): LogFold {
  const view = createModelView()
  const { conversationId } = start.core.meta
  let state = start
  let deltas: LogLine[] = []

  function foldLate(): void {
    const late = deltas
    deltas = []
    for (const line of late) fold(line)
  }

  function fold(line: LogLine): Envelope | null {
    const logged = reader.read(textOf(line))
    if (logged === null) return null
    // It begins its item's output anew, so what came before must not follow it.
    if (logged.event.type === 'execution.failed') foldLate()
    const envelope = { conversationId, ...logged } as Envelope // narrowed: our own log, upgraded; the reducer passes over events it does not know
    state = reduceLate(state, envelope)
    view.apply(envelope.event)
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
  }
}

/** As `reduce`, which passes over a number it is beyond. */
function reduceLate(state: ConversationState, envelope: Envelope): ConversationState {
  const { seq } = state.core
  if (envelope.seq > seq) return reduce(state, envelope)
  const { core, window } = reduce({ ...state, core: { ...state.core, seq: envelope.seq - 1 } }, envelope)
  return { core: { ...core, seq }, window }
}
