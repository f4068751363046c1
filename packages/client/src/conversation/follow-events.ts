import type { Cursor, Envelope } from '@parley/protocol'
import type { Client } from '../client.ts'
import type { ConversationStore } from '../conversation-store.ts'
import { isEnvelope } from '../envelope.ts'
import { openTail } from './live-tail.ts'

export interface Followed {
  readonly client: Client
  readonly store: ConversationStore
  /** Aborts when no more events can come; its reason is the error that readers end with. */
  readonly ended: AbortSignal
}

/** Where to begin: after this event. Without `crc` it is not checked that the log holds it. */
export type Place = { readonly seq: number; readonly crc?: Cursor['crc'] }

/**
 * Every event after a place, once and in order, at the reader's pace. A reader that lags costs at most the newest 1,024
 * events in memory; what it has not taken by then is read from the server's log.
 */
export async function* followEvents(
  { client, store, ended }: Followed,
  { after, signal }: { readonly after: Place; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Envelope, void, undefined> {
  const { conversationId } = store
  using tail = openTail(store, signal === undefined ? ended : AbortSignal.any([ended, signal]))
  let place = after
  const isNews = ({ seq }: Envelope) => seq > place.seq
  const pass = (envelope: Envelope) => {
    place = { seq: envelope.seq, crc: envelope.crc ?? null }
    return envelope
  }
  while (true) {
    signal?.throwIfAborted()
    for (let next = tail.take(); next !== undefined; next = tail.take()) if (isNews(next)) yield pass(next)
    ended.throwIfAborted()
    if (!tail.hasGap) {
      await tail.changed()
      continue
    }
    // Collected from here on: what is recorded while the page is on its way comes after it, or twice.
    tail.restart()
    const page = await client.request('conversation/readEvents', { conversationId, after: place })
    for (const envelope of page.events) if (isEnvelope(envelope) && isNews(envelope)) yield pass(envelope)
    if (page.more) tail.leaveGap()
  }
}
