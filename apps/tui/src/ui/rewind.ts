import { isWhole } from '@parley/presentation/items/item-words'
import {
  nothingToGoBackTo,
  nothingToTakeBack,
  rewindChoices,
  undoPoint,
} from '@parley/presentation/rewind/rewind-choices'
import type { ConversationState } from '@parley/protocol'
import { findMessage, goOnBefore, hasMessages, listMessages } from './earlier-message.ts'
import { newMenu, plainRow } from './menu/menu.ts'
import { type Intent, stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { addNote, type ShownRewind, type UiState } from './state/ui-state.ts'

/** Lists the user's messages, to go back to before one of them. */
export function openRewind(ui: UiState, context: UiContext): UiStep {
  if (!hasMessages(context.state)) return stepTo(addNote(ui, 'info', nothingToGoBackTo))
  return listMessages(ui, context, { kind: 'rewind', title: 'Go back to before a message' })
}

/** Plans to go back to before a message, which shows the diff and then asks what goes back. */
export function planBefore(ui: UiState, itemId: string, state: ConversationState | null): UiStep {
  const message = findMessage(ui, state, itemId)
  if (message === null) return stepTo(addNote(ui, 'warning', 'That message is gone.'))
  const { seq, turnId } = message
  return stepTo(ui, { kind: 'planRewind', at: { seq, turnId }, itemId, overwrite: false })
}

/** Plans to take back the last turn, or the last change of the user's own where that came after it. */
export function undoLast(ui: UiState, { state }: UiContext): UiStep {
  const point = undoPoint(state?.window ?? [])
  if (point === null) return stepTo(addNote(ui, 'info', nothingToGoBackTo))
  if (!('to' in point)) return planBefore(ui, point.item.id, state)
  return stepTo(ui, { kind: 'planRewind', at: point, itemId: null, overwrite: false })
}

/** Asks what of a plan that is shown goes back. */
export function askWhatGoesBack(ui: UiState, rewind: ShownRewind, { state, nowMs }: UiContext): UiStep {
  const choices = rewindChoices(rewind, canTalkGoBack(ui, rewind, state))
  const rows = choices.map((choice) => ({ ...plainRow, ...choice }))
  if (rows.length === 1) return stepTo(addNote({ ...ui, rewind: null }, 'info', nothingToTakeBack))
  const menu = newMenu({ kind: 'rewindChoice', title: 'What goes back?', rows }, nowMs)
  return stepTo({ ...ui, rewind, menu })
}

function canTalkGoBack(ui: UiState, { itemId }: ShownRewind, state: ConversationState | null): boolean {
  const message = itemId === null ? null : findMessage(ui, state, itemId)
  return message !== null && isWhole(message.item.content)
}

/** Takes a choice of what goes back. */
export function takeBack(ui: UiState, choice: string, state: ConversationState | null): UiStep {
  const { rewind } = ui
  const next = { ...ui, rewind: null }
  if (rewind === null) return stepTo(next)
  const { at, itemId } = rewind
  switch (choice) {
    case 'files':
      return stepTo(next, { kind: 'rewind', rewind, withTalk: false })
    case 'both':
      return stepTo(next, { kind: 'rewind', rewind, withTalk: true })
    case 'talk':
      return itemId === null ? stepTo(next) : goOnBefore(next, { itemId }, state)
    case 'bothSummary':
      return stepTo(next, { kind: 'rewind', rewind, withTalk: true, summary: true })
    case 'talkSummary':
      return itemId === null ? stepTo(next) : goOnBefore(next, { itemId, summary: true }, state)
    case 'overwrite':
      return stepTo(next, { kind: 'planRewind', at, itemId, overwrite: true } satisfies Intent)
    default:
      return stepTo(next)
  }
}
