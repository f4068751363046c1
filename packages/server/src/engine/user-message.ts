import type { Actor, InputItem, ItemOf } from '@parley/protocol'

export function userMessageItem(
  id: string,
  message: { readonly content: InputItem[]; readonly messageId: string; readonly by: Actor },
): ItemOf<'userMessage'> {
  const { content, messageId, by } = message
  const text = content.map((part) => part.text).join('\n')
  return {
    id,
    type: 'userMessage',
    status: 'completed',
    title: text.split('\n', 1)[0] ?? '',
    text,
    content,
    messageId,
    by,
  }
}
