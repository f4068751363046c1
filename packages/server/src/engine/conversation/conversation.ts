import { encodeLine, StorageError, writtenBytes } from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationState,
  type Cursor,
  type Envelope,
  eventVersion,
  reduce,
  type Settings,
  type SettingsPatch,
} from '@parley/protocol'
import type { ModelView } from '../../core/model-view.ts'
import type { Clock } from '../../ports/clock.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'
import type { SideFiles } from './side-files.ts'

/** What a conversation writes to: the log on disk, made when the first event is recorded. */
export interface Journal {
  append(lines: readonly string[]): void
  synced(): Promise<void>
  /** Lines after a seq as clients get them, oldest first, read from disk. Throws `StorageError` when they end before `upTo`. */
  linesAfter(range: { readonly after: number; readonly upTo: number }): AsyncIterable<readonly string[]>
  /** Checksum of the line with this seq, undefined when the log does not hold it, null when it has none. */
  crcOf(seq: number): string | null | undefined
  /** Throws `StorageError` when the log is no longer where and as it was written. */
  assertStored(): void
  close(): Promise<void>
}

export interface ConversationParts {
  readonly state: ConversationState
  readonly view: ModelView
  readonly headCrc: string | null
  readonly nextSeq: number
  /** Null for a conversation that is not on disk yet: `startJournal` makes its log when the first event is recorded. */
  readonly journal: Journal | null
  readonly startJournal?: () => Journal
  readonly sideFiles: SideFiles
  readonly clock: Clock
  /** What takes the secrets out of an event; the last that happens to it before it is kept. */
  readonly redact: (event: ConversationEvent) => ConversationEvent
  readonly readOnly: boolean
  /** Version of the events at the end of its log; events of an earlier one are followed by `conversation.upgraded`. */
  readonly logVersion: number
  /** Name and version of the program, for the log. */
  readonly program: string
  /** The log takes no more, or what was recorded could not be brought to the disk: for good. May be told the same again. */
  readonly onLoss: (error: unknown) => void
}

/** Events whose delivery waits until they are on disk: an answer must not be seen and then forgotten. */
const syncedBeforeDelivery: ReadonlySet<ConversationEvent['type']> = new Set(['approval.decided', 'turn.ended'])

/**
 * One conversation: its log, its state and who listens. `record` is the only writer; an event is in the log before
 * any client can see it.
 */
export class Conversation implements AsyncDisposable {
  readonly sideFiles: SideFiles
  readonly readOnly: boolean
  readonly feed: EventFeed
  readonly view: ModelView
  #state: ConversationState
  #headCrc: string | null
  #nextSeq: number
  #journal: Journal | null
  #logVersion: number
  readonly #parts: ConversationParts

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#state = parts.state
    this.#headCrc = parts.headCrc
    this.#nextSeq = parts.nextSeq
    this.#journal = parts.journal
    this.#logVersion = parts.logVersion
    this.view = parts.view
    this.sideFiles = parts.sideFiles
    this.readOnly = parts.readOnly
    this.feed = createEventFeed(parts.state.core.seq)
  }

  get id(): string {
    return this.#state.core.meta.conversationId
  }

  get state(): ConversationState {
    return this.#state
  }

  /** Whether its log exists: from then on it can be listed and resumed. */
  get started(): boolean {
    return this.#state.core.seq > 0
  }

  get cursor(): Cursor {
    return { seq: this.#state.core.seq, crc: this.#headCrc }
  }

  record(event: ConversationEvent): Envelope {
    const [envelope] = this.recordAll([event])
    if (envelope === undefined) throw new Error('recordAll returned no envelope for its event')
    return envelope
  }

  /** Records events in one write: after a crash the log holds all of them or a prefix. Throws `StorageError`. */
  recordAll(events: readonly ConversationEvent[]): readonly Envelope[] {
    if (events.length === 0) return []
    const all = [...this.#leadingEvents(), ...events].map(this.#parts.redact)
    const firstSeq = this.#nextSeq
    const at = this.#parts.clock.now()
    const envelopes = all.map(
      (event, index): Envelope => ({ conversationId: this.id, seq: firstSeq + index, at, event }),
    )
    const lines = envelopes.map(({ seq, event }) => encodeLine({ seq, at, event }))
    // Before a log is made: one without an event could not be opened.
    if (this.#journal === null) lines.forEach(writtenBytes)
    this.#append(lines)
    this.#logVersion = Math.max(this.#logVersion, eventVersion)
    this.#nextSeq += lines.length
    for (const envelope of envelopes) this.#fold(envelope)
    this.#headCrc = lines.at(-1)?.slice(-10, -2) ?? this.#headCrc
    // Only now: whoever listens may record in turn.
    this.feed.append(firstSeq, lines)
    return envelopes.slice(all.length - events.length)
  }

  #append(lines: readonly string[]): void {
    const journal = this.#openJournal()
    try {
      journal.append(lines)
    } catch (error) {
      // Told here, as some events are a courtesy whose failure nobody hears of.
      if (error instanceof StorageError && !error.retryable) this.#parts.onLoss(error)
      throw error
    }
  }

  /** What a log has to say before the events of this program: how it begins, or that another version begins here. */
  #leadingEvents(): readonly ConversationEvent[] {
    if (this.#logVersion < eventVersion)
      return [{ type: 'conversation.upgraded', from: this.#logVersion, to: eventVersion }]
    if (this.started) return []
    const { meta, settings } = this.#state.core
    return [{ type: 'conversation.created', cwd: meta.cwd, settings, program: this.#parts.program }]
  }

  #openJournal(): Journal {
    const journal = this.#journal ?? this.#parts.startJournal?.()
    if (journal === undefined) throw new Error('a conversation has neither a log nor a way to make one')
    this.#journal = journal
    return journal
  }

  #fold(envelope: Envelope): void {
    this.#state = reduce(this.#state, envelope)
    this.view.apply(envelope.event)
    if (syncedBeforeDelivery.has(envelope.event.type)) this.#holdUntilSynced(envelope.seq)
  }

  #holdUntilSynced(seq: number): void {
    this.feed.hold(seq)
    this.synced().then(() => this.feed.release(seq), this.#parts.onLoss)
  }

  /** Resolves when everything recorded so far is on disk. Rejects with `StorageError`. */
  async synced(): Promise<void> {
    await this.#journal?.synced()
  }

  /** Throws `StorageError` when the log does not hold what was recorded: nothing of it may be shown then. */
  assertStored(): void {
    this.#journal?.assertStored()
  }

  /** Published lines after `seq` that memory no longer holds. Throws `StorageError` when the log has lost some. */
  async *olderLines(seq: number): AsyncGenerator<readonly string[]> {
    if (this.#journal !== null) yield* this.#journal.linesAfter({ after: seq, upTo: this.feed.published })
  }

  /** Whether the log holds exactly this event: a cursor from a lost tail does not match. */
  holds(cursor: Cursor): boolean {
    if (cursor.seq === 0) return true
    if (cursor.seq > this.feed.published) return false
    const crc = this.#journal?.crcOf(cursor.seq)
    return crc !== undefined && crc === cursor.crc
  }

  /** Changes what a conversation without a log will be created with. */
  redraft(settings: SettingsPatch & { enforcement?: Settings['enforcement'] }): void {
    const { core } = this.#state
    this.#state = { ...this.#state, core: { ...core, settings: { ...core.settings, ...settings } } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal?.close()
  }
}
