import { type Line, notificationLine } from '@parley/journal'

const keptCharacters = 1 << 20

/**
 * The newest lines of a conversation as notifications, each made once however many clients follow it: what is long
 * costs as much to put together as to send.
 */
export function createSharedNotifications(conversationId: string): (line: Line) => string {
  const kept = new Map<number, string>()
  let characters = 0

  function keep(seq: number, text: string): void {
    for (const [oldest, { length }] of kept) {
      if (characters + text.length <= keptCharacters) break
      kept.delete(oldest)
      characters -= length
    }
    kept.set(seq, text)
    characters += text.length
  }

  return ({ seq, elidedText }) => {
    const known = kept.get(seq)
    if (known !== undefined) return known
    const text = notificationLine(conversationId, elidedText)
    keep(seq, text)
    return text
  }
}
