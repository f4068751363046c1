import { timeSlices } from '@parley/host'
import type { LogLine } from '@parley/journal'
import { type ConversationState, type Envelope, reduce } from '@parley/protocol'
import { createModelView, type ModelView } from '../core/model-view.ts'
import type { Preview } from '../core/view/view-blocks.ts'
import { type CheckpointPlaces, trackCheckpointPlaces } from './checkpoint-content.ts'
import type { LogReader } from './journal.ts'

/** State and view of a log, folded line by line. */
export interface LogFold {
  /** Folds a line and returns its event; null for a delta and for a line without an event. */
  take(line: LogLine): Envelope | null
  readonly state: ConversationState
  readonly view: ModelView
  readonly checkpointPlaces: CheckpointPlaces
}

/** State of a fold before the first line that it takes. */
export interface FoldStart {
  readonly state: ConversationState
  /** Byte offset of place 0. */
  readonly bodyStart?: number
  readonly view?: ModelView
  readonly checkpointPlaces?: CheckpointPlaces
}

/** Creates the fold of a log. Deltas, most of a log, stay unread until the state is needed: each is of one item. */
export function createLogFold(start: FoldStart, reader: LogReader): LogFold {
  const { bodyStart = 0, view = createModelView(), checkpointPlaces = trackCheckpointPlaces() } = start
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
    checkpointPlaces.note(envelope.event.type, place)
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
    checkpointPlaces,
  }
}

/** Folds an event with a lower number than the state's, which `reduce` alone would skip. */
function reduceLate(state: ConversationState, envelope: Envelope): ConversationState {
  const { seq } = state.core
  if (envelope.seq > seq) return reduce(state, envelope)
  const { core, window } = reduce({ ...state, core: { ...state.core, seq: envelope.seq - 1 } }, envelope)
  return { core: { ...core, seq }, window }
}

/** Tells if the next request holds parts that are still in the log only, as after an opening from a checkpoint. */
export function isUnread(view: ModelView): boolean {
  return view.request.reading().next().done !== true
}

/** Reads the content of the next request from the log, and lets other work run in between. */
export async function readView(view: ModelView, how: Preview = {}): Promise<void> {
  const slices = timeSlices()
  for (const _ of view.request.reading(how)) if (slices.isOver()) await slices.next()
}
