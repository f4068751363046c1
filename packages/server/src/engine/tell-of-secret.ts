import type { ConversationEvent, InputItem } from '@parley/protocol'
import type { Bench } from './bench.ts'
import { noticeItem } from './notice-item.ts'

const title = 'A secret in your message was replaced by a mark: it was neither sent to the model nor stored.'
const text =
  'What runs here can still use it: leave it in a file or in the environment, and say where it is instead of what it is.'

/** To be recorded after a message with a secret in it. Said once, since whoever sends one means it, and may send more. */
export function secretNotice(bench: Bench, content: readonly InputItem[], turnId: string | null): ConversationEvent[] {
  const hasSecret = content.some((part) => part.type === 'text' && bench.redaction.hasSecret(part.text))
  if (!hasSecret || bench.told.has('secretInMessage')) return []
  bench.told.add('secretInMessage')
  const item = noticeItem(bench.ids.item(), { level: 'info', code: 'secretInMessage', title, text })
  return [{ type: 'item.completed', ...(turnId === null ? {} : { turnId }), item }]
}
