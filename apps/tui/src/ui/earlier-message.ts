import type { ConversationState, ItemOf } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from './actions.ts'
import { replace } from './composer/composer.ts'
import { inputText, isWhole } from './inbox.ts'
import { type MenuRow, newMenu, plainRow } from './menu/menu.ts'
import { addNote, isOffered, type UiState } from './ui-state.ts'

/** Time within which a second Escape opens the list. */
const againWithinMs = 1_000

/** Offers to go back to an earlier message, and lists them when asked again in time; null if there is none. */
export function offerEarlier(ui: UiState, { state, nowMs }: UiContext): UiStep | null {
  if (messagesOf(state).length === 0 || ui.opened === null || ui.opened.onlyWatches || ui.link.kind !== 'up')
    return null
  if (!isOffered(ui, 'offerEarlier', nowMs))
    return stepTo({ ...ui, offer: { act: 'offerEarlier', untilMs: nowMs + againWithinMs } })
  const menu = newMenu({ kind: 'messages', title: 'Go on before a message, in a copy', rows: rowsOf(state) }, nowMs)
  return stepTo({ ...ui, offer: null, menu })
}

/** Forks the conversation before a message and puts its text in the composer. */
export function goOnBefore(ui: UiState, itemId: string, state: ConversationState | null): UiStep {
  const message = messagesOf(state).find(({ id }) => id === itemId)
  if (message === undefined || ui.opened === null) return stepTo(addNote(ui, 'warning', 'That message is gone.'))
  const { composer, opened } = ui
  const text = replace(composer, { start: 0, end: composer.text.length, text: inputText(message.content) })
  const intent = { kind: 'fork', conversationId: opened.conversationId, before: message.id } as const
  return stepTo({ ...ui, composer: text, dismissed: text.text }, intent)
}

function messagesOf(state: ConversationState | null): readonly ItemOf<'userMessage'>[] {
  return (state?.window ?? []).flatMap(({ item }) => (item.type === 'userMessage' ? [item] : []))
}

/** Returns the messages, the newest first. */
function rowsOf(state: ConversationState | null): readonly MenuRow[] {
  const messages = messagesOf(state).toReversed()
  return messages.map(({ id, text, content }, index) => ({
    ...plainRow,
    key: id,
    text: text.trim().split('\n')[0] ?? '',
    detail: isWhole(content) ? place(index) : 'too long to be changed here',
    isDisabled: !isWhole(content),
  }))
}

function place(index: number): string {
  if (index === 0) return 'the last'
  return index === 1 ? '1 message after it' : `${index} messages after it`
}
