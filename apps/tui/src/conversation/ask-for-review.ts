import type { Conversation } from '@parley/client'
import type { Intent, UiAction } from '../ui/state/actions.ts'
import { unseenWords } from '../view/review/unseen-words.ts'
import { note } from './rejected-intent.ts'

/** Sends the message that asks for a review, or says why there is nothing to review. */
export async function askForReview(
  { span, focus }: Extract<Intent, { kind: 'review' }>,
  conversation: Pick<Conversation, 'state' | 'request'>,
  isFar: boolean,
): Promise<readonly UiAction[]> {
  const { core } = conversation.state
  const { reviewElsewhere, reviewOfChanges } = await import('../programs/review-message.ts')
  const place = { folder: core.meta.cwd, env: process.env }
  const asked =
    core.settings.environment === undefined && !isFar
      ? await reviewOfChanges(span, focus, place)
      : reviewElsewhere(span, focus)
  if (asked.kind === 'problem') return [note('warning', asked.text)]
  if (asked.kind === 'nothing') return [note('info', 'There is nothing to review: no file differs.')]
  await conversation.request('conversation/sendMessage', { ...asked.message, when: 'queue' })
  const unseen = unseenWords(asked.unseen)
  return unseen === null ? [] : [note('info', unseen)]
}
