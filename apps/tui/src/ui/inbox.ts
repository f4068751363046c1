import { expanded, replace } from '@parley/presentation/composer/composer'
import { inputText, isWhole } from '@parley/presentation/items/item-words'
import type { ConversationState, QueuedMessage } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { addNote, changePart, type InputHistory, type UiState, type WindowConnection } from './state/ui-state.ts'

export function ownQueued(state: ConversationState | null, { ownClients }: WindowConnection): readonly QueuedMessage[] {
  return (state?.core.inbox ?? []).filter(({ by }) => ownClients.includes(by.clientId))
}

/** Returns the input history of this folder and conversation, oldest first. */
export function inputHistory(
  state: ConversationState | null,
  { earlierPrompts, refusedText, sentPastes }: InputHistory,
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

const tooLongToEdit = 'The message that waits is too long to be changed here. It goes out as it was sent.'

/** Puts the newest queued message in the composer; null without a queued message. */
export function editWaiting(ui: UiState, { state }: UiContext): UiStep | null {
  const newest = state?.core.inbox.at(-1)
  if (newest === undefined) return null
  if (!isWhole(newest.content)) return stepTo(addNote(ui, 'info', tooLongToEdit))
  const composer = replace(ui.composing.composer, { start: 0, end: 0, text: inputText(newest.content) })
  return stepTo(changePart(ui, 'composing', { composer, purpose: { kind: 'edit', messageId: newest.messageId } }))
}
