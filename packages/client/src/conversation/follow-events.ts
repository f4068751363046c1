import type { Cursor, Envelope } from '@parley/protocol'
import { type Client, isEnvelope } from '../connection/client.ts'
import { ClientError, codeOf } from '../connection/errors.ts'
import type { ConversationStore } from './conversation-store.ts'
import { type LiveTail, openTail } from './live-tail.ts'

export interface FollowedStream {
  readonly client: Client
  readonly store: ConversationStore
  /** Aborts with the reason when no more events can arrive. */
  readonly ended: AbortSignal
}

/** Position of the last event that the reader has. Without `crc` the server does not check that its log has the event. */
export type LogPosition = { readonly seq: number; readonly crc?: Cursor['crc'] }

interface FollowOptions {
  readonly after: LogPosition
  readonly signal?: AbortSignal | undefined
  /** Tail that has collected without a gap since `after`, which the iteration takes over. Default: one opened now. */
  readonly tail?: LiveTail | undefined
}

/**
 * Iterates over every event after a position, once and in order, at the reader's pace. Reads events beyond the newest
 * 1,024 unread from the log. Ends when the conversation is closed here; throws the reason of any other end.
 */
export async function* followEvents(
  { client, store, ended }: FollowedStream,
  { after, signal, tail: opened }: FollowOptions,
): AsyncGenerator<Envelope, void, undefined> {
  const { conversationId } = store
  const over = signal === undefined ? ended : AbortSignal.any([ended, signal])
  using tail = opened ?? openTail(store, over)
  let place = after
  // The store holds every event up to here. With a checksum the server compares first.
  if (opened === undefined && after.crc === undefined && store.state.core.seq === after.seq) tail.restart()

  function* news(envelopes: Iterable<Envelope>): Generator<Envelope, void, undefined> {
    for (const envelope of envelopes) {
      if (envelope.seq <= place.seq) continue
      place = { seq: envelope.seq, crc: envelope.crc ?? null }
      yield envelope
    }
  }

  while (true) {
    signal?.throwIfAborted()
    yield* news(tail.takeAll())
    if (codeOf(ended.reason) === 'closed') return
    ended.throwIfAborted()
    if (!tail.hasGap) {
      await tail.changed()
      continue
    }
    // Collecting starts before the page is read: events recorded meanwhile would be lost otherwise.
    tail.restart()
    const reading = client.request('conversation/readEvents', { conversationId, after: place })
    const page = await unlessAborted(reading, over)
    if (page === null) continue
    yield* news(page.events.filter(isEnvelope))
    if (page.more) tail.leaveGap()
  }
}

/** Resolves with the work, or to null as soon as the signal aborts; the work continues unobserved. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Wraps an iteration so that `return()` ends it while it waits. A generator alone would end only with the next event.
 */
export function leavable<Value>(
  followed: FollowedStream,
  follow: (followed: FollowedStream) => AsyncGenerator<Value, void, undefined>,
): AsyncIterableIterator<Value, void, undefined> {
  const left = new AbortController()
  const values = follow({ ...followed, ended: AbortSignal.any([followed.ended, left.signal]) })
  return {
    next: () => values.next(),
    return() {
      left.abort(new ClientError('closed', 'The iteration was left.'))
      return values.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
