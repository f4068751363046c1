import type { QueuedMessage } from '@parley/protocol'
import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'
import { fitsInline, keepLongTexts } from './long-texts.ts'

/** A message that cannot become an item as it is: an earlier version wrote its long texts into the line. */
export function longWaiting(messages: readonly QueuedMessage[]): QueuedMessage | null {
  return messages.find(({ content }) => !fitsInline(content)) ?? null
}

/** Puts the long texts of a message that waits into files. */
export async function keepLongWaiting(
  { conversation, bench }: { readonly conversation: Conversation; readonly bench: Pick<Bench, 'redaction'> },
  message: QueuedMessage,
): Promise<void> {
  const { messageId } = message
  const { sideFiles } = conversation
  const whole = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part,
  )
  const content = await keepLongTexts(whole, { sideFiles, redact: bench.redaction.text })
  // Meanwhile it may have been edited or taken back.
  if (!conversation.state.core.inbox.includes(message)) return
  conversation.record({ type: 'message.edited', messageId, content })
}
