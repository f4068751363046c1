import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import { askAgain } from '../connection/ask-again.ts'

/** Messages behind a sequence, up to another. */
export interface SequenceRange {
  readonly after: number
  readonly last: number
}

/**
 * Reads messages of a subject one after the other, each from the leader of the stream: its messages were agreed on. A
 * consumer would be kept by one server of the store, which may be dead or know less.
 */
export async function* walkSubject(
  { streams }: Pick<JetStreamManager, 'streams'>,
  { stream, subject }: { readonly stream: string; readonly subject: string },
  { after, last }: SequenceRange,
): AsyncGenerator<StoredMsg, void, undefined> {
  for (let at = after; at < last; ) {
    // By itself, since the library's type leaves the second out.
    const query = { seq: at + 1, next_by_subj: subject }
    const next = await askAgain(() => streams.getMessage(stream, query))
    if (next === null || next.seq > last) return
    yield next
    at = next.seq
  }
}
