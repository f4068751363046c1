import { replace } from '@parley/presentation/composer/composer'
import { inputText, isWhole } from '@parley/presentation/items/item-words'
import type { CompletedItem, ConversationState } from '@parley/protocol'
import { filledMenu, type Menu, type MenuRow, newMenu, plainRow } from './menu/menu.ts'
import { stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { addNote, changePart, isOffered, type SentMessage, type UiState } from './state/ui-state.ts'

/** Time within which a second Escape opens the list. */
const againWithinMs = 1_000

/** Offers to go back to an earlier message, and lists the messages when asked again in time; null without one. */
export function offerEarlier(ui: UiState, { state, nowMs }: UiContext): UiStep | null {
  if (!hasMessages(state) || ui.opened === null || ui.opened.onlyWatches || ui.connection.link.kind !== 'up')
    return null
  if (!isOffered(ui.keys, 'offerEarlier', nowMs))
    return stepTo(changePart(ui, 'keys', { offer: { act: 'offerEarlier', untilMs: nowMs + againWithinMs } }))
  return listMessages(ui, { state, nowMs }, { kind: 'messages', title: 'Go on before a message, in a copy' })
}

/** Opens a list of the user's messages, older ones as they are read. */
export function listMessages(
  ui: UiState,
  { state, nowMs }: Pick<UiContext, 'state' | 'nowMs'>,
  { kind, title }: Pick<Menu, 'kind' | 'title'>,
): UiStep {
  const fresh = changePart(changePart(ui, 'keys', { offer: null }), 'history', { olderMessages: [] })
  const menu = newMenu({ kind, title, rows: rowsOf(messagesOf([], state)) }, nowMs)
  const before = state === null || state.core.counts.items <= state.window.length ? undefined : state.window[0]?.seq
  const intents = before === undefined ? [] : [{ kind: 'olderMessages', before } as const]
  return stepTo({ ...fresh, menu }, ...intents)
}

/** Adds messages that were read to the open list; the chosen one stays. */
export function addOlder(ui: UiState, messages: readonly SentMessage[], { state, nowMs }: UiContext): UiState {
  if (ui.menu?.kind !== 'messages' && ui.menu?.kind !== 'rewind') return ui
  const olderMessages = [...messages, ...ui.history.olderMessages]
  const menu = filledMenu(ui.menu, rowsOf(messagesOf(olderMessages, state)), nowMs)
  return { ...changePart(ui, 'history', { olderMessages }), menu }
}

interface EarlierPoint {
  readonly itemId: string
  /** Has the model summarise the part that the copy leaves out. */
  readonly summary?: true
}

/** Forks the conversation before a message and puts its text in the composer. */
export function goOnBefore(ui: UiState, { itemId, summary }: EarlierPoint, state: ConversationState | null): UiStep {
  const message = findMessage(ui, state, itemId)
  if (message === null || ui.opened === null) return stepTo(addNote(ui, 'warning', 'That message is gone.'))
  const { composer } = ui.composing
  const { item, seq, turnId } = message
  const text = replace(composer, { start: 0, end: composer.text.length, text: inputText(item.content) })
  const how = summary === undefined ? {} : { summary }
  const intent = { kind: 'fork', conversationId: ui.opened.conversationId, before: { seq, turnId }, ...how } as const
  const said = summary === true ? addNote(ui, 'info', 'The model summarises what is left out…') : ui
  const composed = changePart(said, 'composing', { composer: text, dismissed: text.text })
  return stepTo(changePart(composed, 'history', { olderMessages: [] }), intent)
}

/** Finds a message among the loaded ones; null if it is not there. */
export function findMessage({ history }: UiState, state: ConversationState | null, itemId: string): SentMessage | null {
  return messagesOf(history.olderMessages, state).find(({ item }) => item.id === itemId) ?? null
}

/** Returns the messages as far as they were read, oldest first. */
function messagesOf(olderMessages: readonly SentMessage[], state: ConversationState | null): readonly SentMessage[] {
  return [...olderMessages, ...sentMessages(state?.window ?? [])]
}

/** Returns false for a conversation without a message; older ones than its state has may be there. */
export function hasMessages(state: ConversationState | null): boolean {
  if (state === null) return false
  return state.core.counts.items > state.window.length || sentMessages(state.window).length > 0
}

/** Returns the user's messages among items. */
export function sentMessages(items: readonly CompletedItem[]): readonly SentMessage[] {
  return items.flatMap(({ item, seq, turnId }) => (item.type === 'userMessage' ? [{ item, seq, turnId }] : []))
}

/** Returns rows for the messages, the newest first. */
function rowsOf(messages: readonly SentMessage[]): readonly MenuRow[] {
  return messages.toReversed().map(({ item: { id, text, content } }, index) => ({
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
