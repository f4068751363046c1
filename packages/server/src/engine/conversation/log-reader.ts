import {
  decodeLine,
  formatOf,
  LOG_FORMAT,
  type LoggedEnvelope,
  type LogHeader,
  type LogLine,
  lineCrc,
  textOf,
} from '@parley/journal'
import { type ConversationState, type Envelope, reduce, upgradeEvent } from '@parley/protocol'
import { createModelView, type ModelView } from '../../core/model-view.ts'

/** Reads the lines of one log, whatever version wrote them, as events of this version. */
export interface LogReader {
  /** Version of the program that may go on after what was read, without a `conversation.upgraded` of its own. */
  readonly version: number
  /** Null for a line that holds no event. */
  read(text: string): LoggedEnvelope | null
  /** The line as clients get it: its own bytes, or the upgraded event with the checksum of the line. */
  textFor(line: LogLine): string
}

/**
 * Every line is taken for one of the header's version, also after a `conversation.upgraded`: an earlier program may
 * have forked the log and gone on in the copy in its own words. `upgradeEvent` leaves newer events alone.
 */
export function createLogReader(header: LogHeader | null): LogReader {
  const format = formatOf(header)
  let version = format

  /** Where earlier programs may still write, the event was copied by one of them and says nothing of what follows. */
  function note({ type, to }: LoggedEnvelope['event']): void {
    if (type !== 'conversation.upgraded' || typeof to !== 'number') return
    if (header === null || header.minReader >= to) version = Math.max(version, to)
  }

  function current(stored: LoggedEnvelope): LoggedEnvelope {
    const event = upgradeEvent(stored.event, format)
    return event === stored.event ? stored : { ...stored, event }
  }

  return {
    get version() {
      return version
    },
    read(text) {
      const stored = decodeLine(text)
      if (stored === null) return null
      note(stored.event)
      return current(stored)
    },
    textFor(line) {
      const text = textOf(line)
      const stored = format >= LOG_FORMAT ? null : decodeLine(text)
      if (stored === null) return text
      const upgraded = current(stored)
      return upgraded === stored ? text : encoded(upgraded, line)
    },
  }
}

/** A line that was edited by hand has no checksum, nor has its event as it is delivered. */
function encoded({ seq, at, event }: LoggedEnvelope, line: LogLine): string {
  return JSON.stringify({ seq, at, event, ...(line.unchecked ? {} : { crc: lineCrc(line) }) })
}

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
