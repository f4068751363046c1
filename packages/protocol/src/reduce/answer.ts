import type { Item, ItemOf } from '../schema/item.ts'

type AnswerMessage = Pick<ItemOf<'agentMessage'>, 'text' | 'images' | 'continues'>

/** Messages of one answer, in order. */
export type AnswerMessages<Said extends AnswerMessage = AnswerMessage> = readonly Said[]

/** Picture that a model made; its bytes are a file of the conversation. */
export type Picture = NonNullable<ItemOf<'agentMessage'>['images']>[number]

/** Returns the answer after a message: a message that continues the answer is added, any other message replaces it. */
export function answerAfter<Said extends AnswerMessage>(
  answer: AnswerMessages<Said>,
  message: Said,
): AnswerMessages<Said> {
  return message.continues === true ? [...answer, message] : [message]
}

/** Returns the answer at the end of the items: the messages of the last response that has messages. */
export function answerOf(items: Iterable<Item>): AnswerMessages<ItemOf<'agentMessage'>> {
  let answer: AnswerMessages<ItemOf<'agentMessage'>> = []
  for (const item of items) if (item.type === 'agentMessage') answer = answerAfter(answer, item)
  return answer
}

/**
 * Returns the texts of an answer, joined; null for an answer without text. The program's own text about pictures counts
 * only where the model wrote no text, so that JSON with a picture stays JSON.
 */
export function answerText(answer: AnswerMessages): string | null {
  const written = answer.filter(({ text, images }) => images === undefined && text.trim() !== '')
  const texts = (written.length > 0 ? written : answer).map(({ text }) => text)
  const said = texts.filter((text) => text.trim() !== '')
  return said.length > 0 ? said.join('\n\n') : (texts.at(-1) ?? null)
}

/** Returns the text of the answer at the end of the items; null without an answer. */
export function answerIn(items: Iterable<Item>): string | null {
  return answerText(answerOf(items))
}

export function picturesOf(answer: AnswerMessages): readonly Picture[] {
  return answer.flatMap(({ images = [] }) => images)
}
