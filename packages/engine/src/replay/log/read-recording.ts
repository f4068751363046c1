import { basename, dirname, join } from 'node:path'
import { type Files, isConversationId, type LogHeader, LogView, textOf } from '@parley/journal'
import { type ConversationEvent, type ConversationId, withRecordedFacts } from '@parley/protocol'
import { createLogReader } from '../../conversation/journal.ts'
import { invalidParam } from '../../replies/rejection.ts'

/** Event of a log that is replayed. */
export interface RecordedEvent {
  readonly seq: number
  readonly at: number
  readonly event: ConversationEvent
  /** Text that was streamed into the item that this event starts, joined. */
  readonly streamed: string
}

/** Events of a log, with the index of the next one. */
export interface LogPosition {
  readonly events: readonly RecordedEvent[]
  readonly at: number
}

/** Yields the events of a log from a position on. */
export function* eventsFrom({ events, at }: LogPosition): Generator<ConversationEvent, undefined> {
  for (let index = at; index < events.length; index++) {
    const recorded = events[index]
    if (recorded !== undefined) yield recorded.event
  }
}

/** Conversation as its log holds it, without deltas of streamed text, which the clock cut. */
export interface Recording {
  readonly conversationId: ConversationId
  readonly events: readonly RecordedEvent[]
  /** Seq of the last event that was copied from another conversation; 0 for a conversation of its own. */
  readonly forkedAt: number
  /** Version of the program that wrote the first event. */
  readonly program: string
  /** Folder of the side files. */
  readonly folder: string
}

/** Reads a log of any version. Throws `invalidParams` for any other file. */
export function readRecording(files: Files, path: string, folder = besideLog(path)): Recording {
  using view = LogView.open(files, path)
  const header = view.header()
  const reader = createLogReader(header)
  const events: (Omit<RecordedEvent, 'streamed'> & { streamed: string })[] = []
  const started = new Map<string, { streamed: string }>()
  for (const line of view.lines()) {
    const logged = reader.read(textOf(line))
    if (logged === null) continue
    const event = logged.event as ConversationEvent // narrowed: a log, upgraded; kinds that are unknown count as given from outside
    if (event.type === 'item.progress') continue
    if (event.type === 'item.delta') {
      const item = started.get(event.itemId)
      if (item !== undefined) item.streamed += event.text
      continue
    }
    const recorded = { seq: logged.seq, at: logged.at, event: withRecordedFacts(event), streamed: '' }
    if (event.type === 'item.started') started.set(event.item.id, recorded)
    events.push(recorded)
  }
  const [first] = events
  if (first?.event.type !== 'conversation.created') throw noLog(path)
  const forkedAt = header?.forkedFrom?.seq ?? 0
  return { conversationId: idOf(header, path), events, forkedAt, program: first.event.program, folder }
}

function idOf(header: LogHeader | null, path: string): ConversationId {
  const named = basename(path, '.jsonl')
  if (header !== null) return header.conversationId
  if (isConversationId(named)) return named
  throw noLog(path)
}

function noLog(path: string) {
  return invalidParam('file', `${path} is not the log of a conversation: it has no first event.`)
}

/** Returns where the side files of a log lie. */
function besideLog(path: string): string {
  return join(dirname(path), `${basename(path, '.jsonl')}.files`)
}
