import { encodeLine, type Line, type LogView, StorageError, writtenBytes } from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  type Cursor,
  type Envelope,
  type EventOf,
  eventVersion,
} from '@parley/protocol'
import { wellFormed } from '@parley/text'
import type { Owner } from '@parley/workspace'
import type { ModelView } from '../core/model-view.ts'
import type { LogOffset } from '../core/view/view-blocks.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { assertValid } from '../replies/refused-event.ts'
import { type CheckpointPlaces, contentOf } from './checkpoint-content.ts'
import type { Settled } from './checkpoint-writer.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'
import type { Journal } from './journal.ts'
import type { SideFiles } from './side-files.ts'
import { createStateSizeLimit, statesAfter } from './state-size-limit.ts'
import { awaitSync, createStorageRetry, type StorageRetry } from './storage-retry.ts'
import type { TroublePorts } from './storage-trouble.ts'

/** End of a log, as it was folded. */
export interface LogEnd {
  readonly state: ConversationState
  readonly view: ModelView
  readonly checkpointPlaces: CheckpointPlaces
  readonly headCrc: string | null
  readonly nextSeq: number
  /** Version of the newest events in the log; `conversation.upgraded` follows an earlier one. */
  readonly logVersion: number
}

/** Log that a conversation records in. */
export interface LogToRecord {
  /** Journal of a stored conversation; null before the first event, when `startJournal` makes the log. */
  readonly journal: Journal | null
  readonly startJournal?: () => Journal
}

/** Log and side files of a conversation. */
export interface ConversationStorage extends LogToRecord {
  readonly sideFiles: SideFiles
  readonly readOnly: boolean
}

export interface RecordingPorts {
  readonly clock: Clock
  /** Removes secrets from an event; the last step before it is stored. */
  readonly redact: (event: ConversationEvent) => ConversationEvent
  /** Name and version of the program, for the log. */
  readonly program: string
  /**
   * Called when events are lost for good, as the log rejects writes or a sync failed, and when storage trouble lasts. May
   * be called again with the same error.
   */
  readonly report: (error: unknown) => void
  /** Sends a notice to every connected client. */
  readonly notify: TroublePorts['notify']
}

/** Right to a conversation of a store. */
export interface ConversationOwner extends Owner {
  /** Error that ended the right; null while it lasts. */
  readonly ended: StorageError | null
}

/** Events that are delivered only once they are on disk: a client must not see an answer that a crash forgets. */
const syncedBeforeDelivery: ReadonlySet<ConversationEvent['type']> = new Set(['approval.decided', 'turn.ended'])

/**
 * Log, state and event feed of one conversation. `record` is the only writer; an event is in the log before any client
 * can see it.
 */
export class Conversation implements AsyncDisposable {
  readonly sideFiles: SideFiles
  readonly readOnly: boolean
  readonly feed: EventFeed
  readonly view: ModelView
  /** Knows if the storage takes the events that are recorded. */
  readonly storageRetry: StorageRetry
  #state: ConversationState
  #headCrc: string | null
  #nextSeq: number
  #journal: Journal | null
  #logVersion: number
  #isWatched = false
  readonly #room = createStateSizeLimit()
  readonly #checkpointPlaces: CheckpointPlaces
  readonly #startJournal: ConversationStorage['startJournal']
  readonly #ports: RecordingPorts
  readonly #watchers: ((event: ConversationEvent) => void)[] = []

  constructor(end: LogEnd, storage: ConversationStorage, ports: RecordingPorts) {
    this.#ports = ports
    this.#state = end.state
    this.#headCrc = end.headCrc
    this.#nextSeq = end.nextSeq
    this.#logVersion = end.logVersion
    this.#checkpointPlaces = end.checkpointPlaces
    this.#journal = storage.journal
    this.#startJournal = storage.startJournal
    this.view = end.view
    this.sideFiles = storage.sideFiles
    this.readOnly = storage.readOnly
    this.feed = createEventFeed(end.state.core.seq)
    this.storageRetry = createStorageRetry({
      conversationId: this.id,
      clock: ports.clock,
      report: ports.report,
      notify: ports.notify,
      probe: () => this.probe(),
    })
  }

  get id(): ConversationId {
    return this.#state.core.meta.conversationId
  }

  get state(): ConversationState {
    return this.#state
  }

  /** Tells if the log exists; from then on the conversation can be listed and resumed. */
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

  /**
   * Records events in one write: after a crash the log holds all of them or a prefix. Half of a surrogate pair in a text
   * becomes U+FFFD, as everywhere behind this door. Throws `StorageError`, and `RefusedEventError` or `LineTooLongError`
   * for events that could not be read, shown or resumed.
   */
  recordAll(events: readonly ConversationEvent[]): readonly Envelope[] {
    if (events.length === 0) return []
    const all = [...this.#leadingEvents(), ...events].map((event) => this.#ports.redact(wellFormed(event)))
    all.forEach(assertValid)
    const firstSeq = this.#nextSeq
    const at = this.#ports.clock.now()
    const envelopes = all.map(
      (event, index): Envelope => ({ conversationId: this.id, seq: firstSeq + index, at, event }),
    )
    const lines = envelopes.map(({ seq, event }) => encodeLine({ seq, at, event }))
    const texts = lines.map(({ text }) => text)
    const sizes = texts.map(writtenBytes)
    const states = statesAfter(this.#state, envelopes)
    this.#room.take(this.#state.core, (states.at(-1) ?? this.#state).core, sizes)
    // Only now a log is made: one without an event could not be opened.
    let place = this.#append(texts)
    this.#logVersion = Math.max(this.#logVersion, eventVersion)
    this.#nextSeq += lines.length
    for (const [index, envelope] of envelopes.entries()) {
      this.#state = states[index] ?? this.#state
      this.#show(envelope, place)
      place += (sizes[index] ?? 0) + 1
    }
    this.#headCrc = lines.at(-1)?.crc ?? this.#headCrc
    this.#journal?.describe(this.#state)
    const shown = this.shown()
    if (shown !== null) this.#holdUntil(this.#watched(shown), firstSeq)
    // Only now: a listener may record in turn.
    this.feed.append(lines)
    this.#tellWatchers(envelopes, shown)
    return envelopes.slice(all.length - events.length)
  }

  /** Tells of events once they may be shown: a hook is an effect. A failure is reported where they are held. */
  #tellWatchers(envelopes: readonly Envelope[], shown: Promise<void> | null): void {
    if (this.#watchers.length === 0) return
    const tell = () => {
      for (const { event } of envelopes) for (const take of this.#watchers) take(event)
    }
    if (shown === null) tell()
    else shown.then(tell, () => undefined)
  }

  #append(lines: readonly string[]): LogOffset {
    const journal = this.#openJournal()
    let place: LogOffset
    try {
      place = journal.append(lines)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.storageRetry.failed(error)
      // Reported here, since callers ignore the failure of some events.
      if (!error.retryable) this.#ports.report(error)
      throw error
    }
    this.storageRetry.stored()
    return place
  }

  /**
   * Returns the events that come first: `conversation.created` in a new log, `conversation.upgraded` in a log of an
   * earlier version.
   */
  #leadingEvents(): readonly ConversationEvent[] {
    if (this.#logVersion < eventVersion)
      return [{ type: 'conversation.upgraded', from: this.#logVersion, to: eventVersion }]
    if (this.started) return []
    const { meta, settings } = this.#state.core
    const created = { type: 'conversation.created', cwd: meta.cwd, settings, program: this.#ports.program } as const
    return [meta.access === undefined ? created : { ...created, access: meta.access }]
  }

  /** Throws `StorageError` while the log would take no event. Does nothing before there is a log. */
  probe(): void {
    this.#journal?.probe()
  }

  /** Opens the file behind the descriptor of a writable log, whatever lies at its path; null for other logs. */
  held(): LogView | null {
    return this.#journal?.held() ?? null
  }

  #openJournal(): Journal {
    const journal = this.#journal ?? this.#startJournal?.()
    if (journal === undefined) throw new Error('a conversation has neither a log nor a way to make one')
    this.#journal = journal
    return journal
  }

  #show({ event, seq }: Envelope, place: LogOffset): void {
    this.view.apply(event, { seq, place })
    this.#checkpointPlaces.note(event.type, place)
    if (syncedBeforeDelivery.has(event.type)) this.#holdUntil(this.synced(), seq)
    if (event.type === 'turn.ended') this.#journal?.settled(() => this.#settled())
  }

  /** Returns the content of a checkpoint; null while work is open. */
  #settled(): Settled | null {
    const parts = contentOf({
      state: this.#state,
      view: this.view,
      checkpointPlaces: this.#checkpointPlaces,
      logVersion: this.#logVersion,
    })
    return parts === null ? null : { parts, seq: this.#state.core.seq }
  }

  /** Reports a store that does not acknowledge for long; of what waits together, the first is watched. */
  async #watched(shown: Promise<void>): Promise<void> {
    const journal = this.#journal
    if (this.#isWatched || journal === null) return shown
    this.#isWatched = true
    await this.#awaitSync({ synced: () => shown, stuck: journal.stuck }).finally(() => {
      this.#isWatched = false
    })
  }

  #awaitSync(log: Pick<Journal, 'synced' | 'stuck'>): Promise<void> {
    return awaitSync(log, { clock: this.#ports.clock, retry: this.storageRetry })
  }

  #holdUntil(kept: Promise<void>, seq: number): void {
    this.feed.hold(seq)
    kept.then(() => this.feed.release(seq), this.#ports.report)
  }

  /** Resolves when all that was recorded may be shown; null where that is at once. Rejects with `StorageError`. */
  shown(): Promise<void> | null {
    return this.#journal?.shown() ?? null
  }

  /** Lets a checkpoint be written of the conversation as it was opened. */
  opened(): void {
    this.#journal?.describe(this.#state)
    this.#journal?.settled(() => this.#settled())
  }

  /** Resolves when everything recorded so far is on disk. Rejects with `StorageError`. */
  async synced(): Promise<void> {
    if (this.#journal !== null) await this.#awaitSync(this.#journal)
  }

  /**
   * Resolves when an effect may begin that is in the log: it is certain that no other server has taken the conversation.
   * Rejects with `StorageError`.
   */
  async mayAct(): Promise<void> {
    await this.#journal?.mayAct()
  }

  /** Throws `StorageError` when the log lacks recorded events: clients may not see any of them then. */
  assertStored(): void {
    this.#journal?.assertStored()
  }

  /** Published lines after `seq` that memory no longer holds. Throws `StorageError` when the log has lost some. */
  async *olderLines(seq: number): AsyncGenerator<readonly Line[]> {
    if (this.#journal !== null) yield* this.#journal.linesAfter({ after: seq, upTo: this.feed.published })
  }

  /** Tells if the log holds exactly this event; a cursor from a lost tail does not match. */
  holds(cursor: Cursor): boolean {
    if (cursor.seq === 0) return true
    if (cursor.seq > this.feed.published) return false
    // The newest is known without the log, which is read up to any other.
    const crc = cursor.seq === this.#state.core.seq ? this.#headCrc : this.#journal?.crcOf(cursor.seq)
    return crc !== undefined && crc === cursor.crc
  }

  /** Calls `take` with each event after it was recorded; it may record in turn. */
  watch(take: (event: ConversationEvent) => void): void {
    this.#watchers.push(take)
  }

  /** Changes the settings of a conversation that has no log yet. */
  redraft({ settings = {}, cwd }: DraftChange): void {
    const { core } = this.#state
    const meta = cwd === undefined ? core.meta : { ...core.meta, cwd }
    this.#state = { ...this.#state, core: { ...core, meta, settings: { ...core.settings, ...settings } } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal?.close(() => this.#settled())
  }
}

/** Change of a conversation that has no log yet. */
export interface DraftChange {
  readonly settings?: EventOf<'conversation.configured'>['settings']
  readonly cwd?: string
}
