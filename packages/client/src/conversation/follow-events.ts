import type { Cursor, Envelope } from '@parley/protocol'
import { type Client, isEnvelope } from '../connection/client.ts'
import { ClientError, codeOf } from '../connection/errors.ts'
import type { ConversationStore } from './conversation-store.ts'
import { openTail } from './live-tail.ts'

export interface Followed {
  readonly client: Client
  readonly store: ConversationStore
  /** Aborts when no more events can come, with why. */
  readonly ended: AbortSignal
}

/** Where to begin: after this event. Without `crc` it is not checked that the log holds it. */
export type Place = { readonly seq: number; readonly crc?: Cursor['crc'] }

/**
 * Every event after a place, once and in order, at the reader's pace. A reader that lags costs at most the newest 1,024
 * events in memory; what it has not taken by then is read from the server's log. Ends when we close the conversation;
 * throws when anything else ends it.
 */
export async function* followEvents(
  { client, store, ended }: Followed,
  { after, signal }: { readonly after: Place; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Envelope, void, undefined> {
  const { conversationId } = store
  const over = signal === undefined ? ended : AbortSignal.any([ended, signal])
  using tail = openTail(store, over)
  let place = after

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
    // Collected from here on: what is recorded while the page is on its way comes after it, or twice.
    tail.restart()
    const reading = client.request('conversation/readEvents', { conversationId, after: place })
    const page = await unlessAborted(reading, over)
    if (page === null) continue
    yield* news(page.events.filter(isEnvelope))
    if (page.more) tail.leaveGap()
  }
}

/** Null as soon as the signal fires; the work goes on unobserved. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(null)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * An iteration that can be left while it waits, as `ReadableStream.from` does when it is cancelled: a generator alone
 * would come to its end only with the next event.
 */
export function leavable<Value>(
  followed: Followed,
  follow: (followed: Followed) => AsyncGenerator<Value, void, undefined>,
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
