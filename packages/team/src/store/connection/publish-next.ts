import type { JetStreamClient } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { isOutdated } from './store-trouble.ts'

/** Message that is to follow a certain one of its subject. */
export interface Successor {
  readonly subject: string
  readonly bytes: Uint8Array | string
  readonly headers: MsgHdrs
  /** Sequence of the last message of the subject; 0 before the first. */
  readonly after: number
}

/**
 * Publishes a message that follows a certain one, which no other message can follow as well. Resolves to its sequence;
 * to null where another has followed, which may be this one, sent before. Rejects with the library's error.
 */
export async function publishNext(streams: JetStreamClient, message: Successor): Promise<number | null> {
  const { subject, bytes, headers, after } = message
  const id = after === 0 ? {} : { msgID: String(after) }
  try {
    // A cluster of servers 2.9 looks at the expected sequence before it has stored what came just before, so that two
    // messages that expect the same both pass. Their id, which is looked at when they are stored, tells the second. To
    // be the first of a subject is looked at then, too.
    const { seq, duplicate } = await streams.publish(subject, bytes, {
      headers,
      expect: { lastSubjectSequence: after },
      ...id,
    })
    return duplicate ? null : seq
  } catch (error) {
    if (isOutdated(error)) return null
    throw error
  }
}
