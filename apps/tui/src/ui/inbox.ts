import { expanded } from '@parley/presentation/composer/composer'
import { isWhole } from '@parley/presentation/items/item-words'
import type { ConversationState, QueuedMessage } from '@parley/protocol'
import type { UiState } from './state/ui-state.ts'

/** Returns the queued messages that this client sent. */
export function ownQueued(
  state: ConversationState | null,
  { ownClients }: Pick<UiState, 'ownClients'>,
): readonly QueuedMessage[] {
  return (state?.core.inbox ?? []).filter(({ by }) => ownClients.includes(by.clientId))
}

/** Returns the input history of this folder and conversation, oldest first. */
export function inputHistory(
  state: ConversationState | null,
  { earlierPrompts, refusedText, sentPastes }: Pick<UiState, 'earlierPrompts' | 'refusedText' | 'sentPastes'>,
): readonly string[] {
  const here = (state?.window ?? []).flatMap(({ item }) => {
    if (item.type === 'userMessage' && isWhole(item.content)) return [item.text]
    if (item.type === 'userMessage') return sentPastes.filter((sent) => sent.messageId === item.messageId).map(expanded)
    return item.type === 'shellCommand' ? [`!${item.command}`] : []
  })
  // A prompt in both the folder's and this conversation's history keeps its place in the conversation.
  const known = new Set(here)
  const refused = refusedText === null ? [] : [refusedText]
  const texts = [...earlierPrompts.filter((text) => !known.has(text)), ...here, ...refused]
  return texts.filter((text, index) => text !== texts[index - 1])
}
