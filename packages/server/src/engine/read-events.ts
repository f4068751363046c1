import { envelopeText, type Line } from '@parley/journal'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import type { Conversation } from './conversation.ts'
import { deliverableText } from './deliverable.ts'
import { rejection } from './refusal.ts'
import { replyLimit } from './reply-size.ts'

type Range = Omit<ParamsOf<'conversation/readEvents'>, 'conversationId'>

const defaultLimit = 500

/** Published events after a place in the log, oldest first, as many as fit in a reply. */
export async function readEvents(
  conversation: Conversation,
  { after, limit = defaultLimit }: Range,
): Promise<ResultOf<'conversation/readEvents'>> {
  assertHeld(conversation, after)
  const { published } = conversation.feed
  const events: unknown[] = []
  let bytes = 0
  for await (const lines of linesAfter(conversation, after.seq)) {
    for (const line of lines) {
      const envelope: { readonly seq: number } = JSON.parse(envelopeText(conversation.id, deliverableText(line)))
      // The log may be ahead: what waits for the disk is not to be seen.
      if (envelope.seq > published) return { events, more: false }
      bytes += Buffer.byteLength(line.text)
      // One is always sent, or there would be no way past an event that is too large.
      if (events.length === limit || (bytes > replyLimit && events.length > 0)) return { events, more: true }
      events.push(envelope)
    }
  }
  return { events, more: false }
}

function assertHeld(conversation: Conversation, { seq, crc }: Range['after']): void {
  if (crc === undefined || conversation.holds({ seq, crc })) return
  throw rejection('badCursor', `The log does not hold event ${seq} as it was seen. Begin anew from the state.`)
}

async function* linesAfter(conversation: Conversation, seq: number): AsyncGenerator<readonly Line[]> {
  const recent = conversation.feed.recentAfter(seq)
  if (recent === null) yield* conversation.olderLines(seq)
  else yield recent
}
