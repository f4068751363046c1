import type { ContentItem, ConversationState, QueuedMessage } from '@parley/protocol'
import { expanded } from './composer/composer.ts'
import type { UiState } from './ui-state.ts'

/** Returns the text of a message without its images, which cannot be edited. */
export function inputText(content: readonly ContentItem[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Returns false if a long text is in a file and the message has only its beginning. */
export function isWhole(content: readonly ContentItem[]): boolean {
  return content.every((part) => part.type !== 'text' || part.file === undefined)
}

/** Returns the queued messages that this client sent. */
export function ownQueued(
  state: ConversationState | null,
  { ownClients }: Pick<UiState, 'ownClients'>,
): readonly QueuedMessage[] {
  return (state?.core.inbox ?? []).filter(({ by }) => ownClients.includes(by.clientId))
}

/** Returns true if messages are held back after an interrupt until Enter sends them. */
export function isInboxPaused(state: ConversationState | null): boolean {
  return state !== null && state.core.turn === null && state.core.inboxPaused && state.core.inbox.length > 0
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
