import type { ContentItem, ConversationState, QueuedMessage } from '@parley/protocol'
import type { UiState } from './ui-state.ts'

/** Without its images, which cannot be edited. */
export function inputText(content: readonly ContentItem[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** A long text is kept in a file, and its part has only the beginning: the composer would send that instead of it. */
export function isWhole(content: readonly ContentItem[]): boolean {
  return content.every((part) => part.type !== 'text' || part.file === undefined)
}

/** Messages in the inbox that this window put there. */
export function ownQueued(
  state: ConversationState | null,
  { ownClients }: Pick<UiState, 'ownClients'>,
): readonly QueuedMessage[] {
  return (state?.core.inbox ?? []).filter(({ by }) => ownClients.includes(by.clientId))
}

/** What can be sent by Enter alone: after an interrupt nothing in the inbox goes out by itself. */
export function isInboxPaused(state: ConversationState | null): boolean {
  return state !== null && state.core.turn === null && state.core.inboxPaused && state.core.inbox.length > 0
}

/** What was entered in this folder and in this conversation, oldest first, as the arrow keys bring it back. */
export function inputHistory(
  state: ConversationState | null,
  { earlierPrompts, refusedText }: Pick<UiState, 'earlierPrompts' | 'refusedText'>,
): readonly string[] {
  const here = (state?.window ?? []).flatMap(({ item }) => {
    if (item.type === 'userMessage') return isWhole(item.content) ? [item.text] : []
    return item.type === 'shellCommand' ? [`!${item.command}`] : []
  })
  // A prompt of this conversation that the folder remembers too comes back in the place it has here.
  const known = new Set(here)
  const refused = refusedText === null ? [] : [refusedText]
  const texts = [...earlierPrompts.filter((text) => !known.has(text)), ...here, ...refused]
  return texts.filter((text, index) => text !== texts[index - 1])
}
