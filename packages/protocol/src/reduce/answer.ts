import type { Item } from '../schema/item.ts'

/** Text of a message, and whether it belongs to the answer that the message before it began. */
interface Said {
  readonly text: string
  readonly continues?: true
}

/** Returns the answer after a message: its text, behind the answer so far where it goes on with that. */
export function answerAfter(answer: string | null, { text, continues }: Said): string {
  if (continues !== true || answer === null || answer.trim() === '') return text
  return text.trim() === '' ? answer : `${answer}\n\n${text}`
}

/** Returns the answer that items end with: all texts of the last response that has any; null for none. */
export function answerIn(items: Iterable<Item>): string | null {
  let answer: string | null = null
  for (const item of items) if (item.type === 'agentMessage') answer = answerAfter(answer, item)
  return answer
}
