import type { CompletedItem, ConversationState } from '@parley/protocol'
import { countOf } from '../view/text/formats.ts'
import { type Intent, stepTo, type UiContext, type UiStep } from './actions.ts'
import { findMessage, goOnBefore, hasMessages, listMessages } from './earlier-message.ts'
import { isWhole } from './inbox.ts'
import { type MenuRow, newMenu, plainRow } from './menu/menu.ts'
import { addNote, type ShownRewind, type UiState } from './ui-state.ts'

/** Lists the user's messages, to go back to before one of them. */
export function openRewind(ui: UiState, context: UiContext): UiStep {
  if (!hasMessages(context.state)) return stepTo(addNote(ui, 'info', nothingYet))
  return listMessages(ui, context, { kind: 'rewind', title: 'Go back to before a message' })
}

const nothingYet = 'There is nothing to go back to yet.'

/** Plans to go back to before a message, which shows the diff and then asks what goes back. */
export function planBefore(ui: UiState, itemId: string, state: ConversationState | null): UiStep {
  const message = findMessage(ui, state, itemId)
  if (message === null) return stepTo(addNote(ui, 'warning', 'That message is gone.'))
  const { seq, turnId } = message
  return stepTo(ui, { kind: 'planRewind', at: { seq, turnId }, itemId, overwrite: false })
}

/** Plans to take back the last turn, or the last rewind where that came after it. */
export function undoLast(ui: UiState, { state }: UiContext): UiStep {
  const last = state?.window.findLast((completed) => isMessage(completed) || rewindOf(completed) !== null)
  if (last === undefined) return stepTo(addNote(ui, 'info', nothingYet))
  const rewind = rewindOf(last)
  if (rewind === null) return planBefore(ui, last.item.id, state)
  return stepTo(ui, { kind: 'planRewind', at: { to: rewind.from }, itemId: null, overwrite: false })
}

function isMessage({ item }: CompletedItem): boolean {
  return item.type === 'userMessage'
}

/** Returns what a rewind did; null for any other item, and for one that changed nothing. */
function rewindOf({ item }: CompletedItem) {
  return item.type === 'fileChange' && item.status !== 'failed' ? (item.rewind ?? null) : null
}

/** Asks what of a plan that is shown goes back. */
export function askWhatGoesBack(ui: UiState, rewind: ShownRewind, { state, nowMs }: UiContext): UiStep {
  const rows = choiceRows(rewind, canTalkGoBack(ui, rewind, state))
  if (rows.length === 1) return stepTo(addNote({ ...ui, rewind: null }, 'info', 'No file has to be taken back.'))
  const menu = newMenu({ kind: 'rewindChoice', title: 'What goes back?', rows }, nowMs)
  return stepTo({ ...ui, rewind, menu })
}

function canTalkGoBack(ui: UiState, { itemId }: ShownRewind, state: ConversationState | null): boolean {
  const message = itemId === null ? null : findMessage(ui, state, itemId)
  return message !== null && isWhole(message.item.content)
}

function choiceRows({ files, changedSince, overwrite }: ShownRewind, withTalk: boolean): readonly MenuRow[] {
  const counted = countOf(files, 'file')
  const row = (key: string, text: string, detail: string): MenuRow => ({ ...plainRow, key, text, detail })
  return [
    // Chosen at first, so that an Enter too many changes no file.
    row('nothing', 'nothing', 'all stays as it is'),
    ...(files > 0 && withTalk ? [row('both', 'files and talk', `${counted}, and the talk goes on in a copy`)] : []),
    ...(files > 0 ? [row('files', 'files', counted)] : []),
    ...(withTalk ? [row('talk', 'talk', 'goes on in a copy; files stay as they are')] : []),
    ...(changedSince > 0 && !overwrite
      ? [row('overwrite', 'look again', `with ${countOf(changedSince, 'file')} changed since by somebody else`)]
      : []),
  ]
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
      return itemId === null ? stepTo(next) : goOnBefore(next, itemId, state)
    case 'overwrite':
      return stepTo(next, { kind: 'planRewind', at, itemId, overwrite: true } satisfies Intent)
    default:
      return stepTo(next)
  }
}
