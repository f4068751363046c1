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
import type { ModelView } from '../core/model-view.ts'
import type { LogOffset } from '../core/view/view-blocks.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { assertValid } from '../replies/refused-event.ts'
import { contentOf } from './checkpoint-content.ts'
import type { Settled } from './checkpoint-writer.ts'
import { createCoreRoom, statesAfter } from './core-room.ts'
import { createEventFeed, type EventFeed } from './event-feed.ts'
import type { Journal } from './journal.ts'
import type { Landmarks } from './landmarks.ts'
import type { SideFiles } from './side-files.ts'
import { awaitSync, type StoragePatience } from './storage-patience.ts'

export interface ConversationParts {
  readonly state: ConversationState
  readonly view: ModelView
  readonly landmarks: Landmarks
  readonly headCrc: string | null
  readonly nextSeq: number
  /** Journal of a stored conversation; null before the first event, for which `startJournal` makes the log. */
  readonly journal: Journal | null
  readonly startJournal?: () => Journal
  readonly sideFiles: SideFiles
  readonly clock: Clock
  /** Removes secrets from an event; the last step before it is stored. */
  readonly redact: (event: ConversationEvent) => ConversationEvent
  readonly readOnly: boolean
  /** Version of the newest events in the log; `conversation.upgraded` follows an earlier one. */
  readonly logVersion: number
  /** Name and version of the program, for the log. */
  readonly program: string
  /**
   * Called when events are lost for good: the log rejects writes or a sync failed. May be called again with the same
   * error.
   */
  readonly onLoss: (error: unknown) => void
  /** Is told of each write to the log. */
  readonly patience: Pick<StoragePatience, 'failed' | 'stored'>
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
  #state: ConversationState
  #headCrc: string | null
  #nextSeq: number
  #journal: Journal | null
  #logVersion: number
  #isWatched = false
  readonly #room = createCoreRoom()
  readonly #parts: ConversationParts
  readonly #watchers: ((event: ConversationEvent) => void)[] = []

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
    const all = [...this.#leadingEvents(), ...events].map((event) => this.#parts.redact(wellFormed(event)))
    all.forEach(assertValid)
    const firstSeq = this.#nextSeq
    const at = this.#parts.clock.now()
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
    // Only now: whoever listens may record in turn.
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
      this.#parts.patience.failed(error)
      // Reported here, since callers ignore the failure of some events.
      if (!error.retryable) this.#parts.onLoss(error)
      throw error
    }
    this.#parts.patience.stored()
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
    const created = { type: 'conversation.created', cwd: meta.cwd, settings, program: this.#parts.program } as const
    return [meta.access === undefined ? created : { ...created, access: meta.access }]
  }

  /** Throws `StorageError` while the log would take no event. Does nothing before there is a log. */
  probe(): void {
    this.#journal?.probe()
  }

  /** Opens what the descriptor of a log that may be written holds, whatever lies at its path; null for others. */
  held(): LogView | null {
    return this.#journal?.held() ?? null
  }

  #openJournal(): Journal {
    const journal = this.#journal ?? this.#parts.startJournal?.()
    if (journal === undefined) throw new Error('a conversation has neither a log nor a way to make one')
    this.#journal = journal
    return journal
  }

  #show({ event, seq }: Envelope, place: LogOffset): void {
    this.view.apply(event, { seq, place })
    this.#parts.landmarks.note(event.type, place)
    if (syncedBeforeDelivery.has(event.type)) this.#holdUntil(this.synced(), seq)
    if (event.type === 'turn.ended') this.#journal?.settled(() => this.#settled())
  }

  /** Returns what the log folds to; null while work is open. */
  #settled(): Settled | null {
    const { landmarks } = this.#parts
    const parts = contentOf({ state: this.#state, view: this.view, landmarks, logVersion: this.#logVersion })
    return parts === null ? null : { parts, seq: this.#state.core.seq }
  }

  /** Reports a store that does not acknowledge for long; of what waits together, the first is watched. */
  async #watched(shown: Promise<void>): Promise<void> {
    const journal = this.#journal
    if (this.#isWatched || journal === null) return shown
    this.#isWatched = true
    await awaitSync({ synced: () => shown, stuck: journal.stuck }, this.#parts).finally(() => {
      this.#isWatched = false
    })
  }

  #holdUntil(kept: Promise<void>, seq: number): void {
    this.feed.hold(seq)
    kept.then(() => this.feed.release(seq), this.#parts.onLoss)
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
    if (this.#journal !== null) await awaitSync(this.#journal, this.#parts)
  }

  /**
   * Resolves when an effect may begin that is in the log: it is certain that no other server has taken the conversation.
   * Rejects with `StorageError`.
   */
  async mayAct(): Promise<void> {
    await this.#journal?.mayAct()
  }

  /** Throws `StorageError` when the log does not hold what was recorded: nothing of it may be shown then. */
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
