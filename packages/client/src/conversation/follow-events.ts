import type { Cursor, Envelope } from '@parley/protocol'
import type { Client } from '../client.ts'
import type { ConversationStore } from '../conversation-store.ts'
import { isEnvelope } from '../envelope.ts'
import { codeOf } from '../errors.ts'
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
  using tail = openTail(store, signal === undefined ? ended : AbortSignal.any([ended, signal]))
  let place = after

  function* news(envelopes: Iterable<Envelope>): Generator<Envelope, void, undefined> {
    for (const envelope of envelopes) {
      if (envelope.seq <= place.seq) continue
      place = { seq: envelope.seq, crc: envelope.crc ?? null }
      yield envelope
    }
  }

  const isClosed = () => codeOf(ended.reason) === 'closed'
  while (true) {
    signal?.throwIfAborted()
    yield* news(tail.takeAll())
    if (isClosed()) return
    ended.throwIfAborted()
    if (!tail.hasGap) {
      await tail.changed()
      continue
    }
    // Collected from here on: what is recorded while the page is on its way comes after it, or twice.
    tail.restart()
    const page = await client
      .request('conversation/readEvents', { conversationId, after: place })
      .catch(unless(isClosed))
    if (page === null) return
    yield* news(page.events.filter(isEnvelope))
    if (page.more) tail.leaveGap()
  }
}

/** For a rejection: it does not matter once something is so. */
function unless(isSo: () => boolean): (error: unknown) => null {
  return (error) => {
    if (isSo()) return null
    throw error
  }
}
