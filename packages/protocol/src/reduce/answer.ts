import type { Item, ItemOf } from '../schema/item.ts'

type Message = Pick<ItemOf<'agentMessage'>, 'text' | 'images' | 'continues'>

/** Messages of one answer, in order. */
export type AnswerMessages<Said extends Message = Message> = readonly Said[]

/** Picture that a model made; its bytes are a file of the conversation. */
export type Picture = NonNullable<ItemOf<'agentMessage'>['images']>[number]

/** Returns the answer after a message: that, behind the answer so far where it goes on with it. */
export function answerAfter<Said extends Message>(answer: AnswerMessages<Said>, message: Said): AnswerMessages<Said> {
  return message.continues === true ? [...answer, message] : [message]
}

/** Returns the answer that items end with: the messages of the last response that has any. */
export function answerOf(items: Iterable<Item>): AnswerMessages<ItemOf<'agentMessage'>> {
  let answer: AnswerMessages<ItemOf<'agentMessage'>> = []
  for (const item of items) if (item.type === 'agentMessage') answer = answerAfter(answer, item)
  return answer
}

/**
 * Returns the texts of an answer, joined; null where nothing was said. Text about pictures is what the program says: it
 * stands in only where the model wrote nothing, so that JSON with a picture stays JSON.
 */
export function answerText(answer: AnswerMessages): string | null {
  const written = answer.filter(({ text, images }) => images === undefined && text.trim() !== '')
  const texts = (written.length > 0 ? written : answer).map(({ text }) => text)
  const said = texts.filter((text) => text.trim() !== '')
  return said.length > 0 ? said.join('\n\n') : (texts.at(-1) ?? null)
}

/** Returns the text of the answer that items end with; null for none. */
export function answerIn(items: Iterable<Item>): string | null {
  return answerText(answerOf(items))
}

/** Returns the pictures of an answer. */
export function picturesOf(answer: AnswerMessages): readonly Picture[] {
  return answer.flatMap(({ images = [] }) => images)
}
