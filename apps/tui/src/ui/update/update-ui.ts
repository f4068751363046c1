import { type Intent, stepTo, type UiAction, type UiContext, type UiStep } from '../actions.ts'
import { applyHeldKey } from '../answer-approval.ts'
import { noteKey, notePainted } from '../answers.ts'
import type { FileList } from '../complete/file-list.ts'
import { putBack } from '../composer/composer.ts'
import { leaveForm, reopenForm } from '../fill-form.ts'
import { keyPress } from '../keys/key-event.ts'
import { notePlaces } from '../keys/key-meaning.ts'
import { noteAnswered, noteConfigured, noteLostLog } from '../outside-changes.ts'
import { updateMenu } from '../press-in-menu.ts'
import { addNotice, message, type UiState } from '../ui-state.ts'
import { followWriting } from '../write-over-question.ts'
import { updateLink } from './follow-link.ts'
import { placesOf } from './key-places.ts'
import { pressKey, settleKey } from './press-key.ts'

/** Returns the next state of the screen and the requests to carry out; the only way it changes. */
export function updateUi(ui: UiState, action: UiAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'key':
      return pressKey(ui, action.event, context)
    case 'signal':
      return pressKey({ ...ui, heldKey: null }, keyPress('c', { ctrl: true }), context)
    case 'quiet':
      return settleKey(ui, applyHeldKey(ui, context), context)
    case 'pressedElsewhere':
      return stepTo({ ...ui, guard: noteKey(ui.guard, context.nowMs) })
    case 'painted':
      return stepTo({
        ...ui,
        guard: notePainted(ui.guard, action, context.nowMs),
        shownPlaces: notePlaces(ui.shownPlaces, placesOf(ui, context.state), context.nowMs),
      })
    case 'linked':
    case 'lost':
    case 'hangs':
    case 'counted':
      return updateLink(ui, action, context)
    case 'opened':
      return stepTo({ ...ui, menu: null, opened: action.opened, shownTrust: null, lostLog: null }, ...resendUnsent(ui))
    case 'recalled':
      return stepTo({ ...ui, earlierPrompts: action.prompts })
    case 'hold':
      return stepTo({ ...ui, unsent: [...ui.unsent, action.message] })
    case 'acknowledged':
      // An acknowledgement shows that the log has been restored.
      return stepTo({
        ...ui,
        lostLog: null,
        unsent: ui.unsent.filter(({ messageId }) => messageId !== action.messageId),
      })
    case 'notTaken':
      return stepTo(returnMessage(ui, action.message))
    case 'tookBack':
      return stepTo({ ...ui, composer: putBack(ui.composer, action.text) })
    case 'answerRejected':
      return stepTo({ ...ui, answeredApproval: ui.answeredApproval === action.approvalId ? null : ui.answeredApproval })
    case 'formRejected':
      return stepTo(reopenForm({ ...ui, answeredApproval: null }, action, context.state))
    case 'answered':
      return stepTo(noteAnswered(ui, action.event))
    case 'configured':
      return stepTo(noteConfigured(ui, action.event))
    case 'notice':
      return stepTo(addNotice(ui, action.notice))
    case 'logLost':
      return stepTo(noteLostLog(ui, action))
    case 'trustShown':
      return stepTo({ ...ui, shownTrust: action.hash })
    case 'pick':
    case 'listed':
    case 'menuFilled':
    case 'previewed':
      return updateMenu(ui, action, context)
    case 'background':
      return stepTo({ ...ui, background: action.rgb })
    case 'filesListed':
      return stepTo({ ...ui, files: shownList(ui.files, action.files) })
    case 'statusTold':
      return stepTo({ ...ui, statusText: action.line })
  }
}

/** Keeps an earlier list of the same folder until the new one is whole. */
function shownList(before: UiState['files'], next: FileList): FileList {
  return before?.isWhole === true && !next.isWhole && before.folder === next.folder ? before : next
}

/** Resends messages once a conversation is open; the server accepts the same id once. */
function resendUnsent({ unsent }: UiState): readonly Intent[] {
  return unsent.map((held) => ({ kind: 'send', message: held }))
}

function returnMessage(ui: UiState, { messageId, text }: UiState['unsent'][number]): UiState {
  const unsent = ui.unsent.filter((held) => held.messageId !== messageId)
  return { ...ui, unsent, composer: putBack(ui.composer, text) }
}

/** Drops references to what the conversation no longer has: an approval answered by others, a sent message. */
export function followState(ui: UiState, { state }: Pick<UiContext, 'state'>): UiState {
  if (state === null) return ui
  const { turn, approvals, inbox, open } = state.core
  let next = ui
  if (next.stoppingTurn !== null && next.stoppingTurn !== turn?.id) next = { ...next, stoppingTurn: null }
  if (next.stoppingCommand !== null && open[next.stoppingCommand] === undefined)
    next = { ...next, stoppingCommand: null }
  if (next.answeredApproval !== null && approvals[next.answeredApproval]?.state !== 'pending')
    next = { ...next, answeredApproval: null }
  if (next.remembering !== null && approvals[next.remembering]?.state !== 'pending')
    next = { ...next, remembering: null }
  const { purpose } = next
  if (purpose.kind === 'note' && approvals[purpose.approvalId]?.state !== 'pending')
    next = { ...next, purpose: message }
  if (purpose.kind === 'form' && approvals[purpose.form.approvalId]?.state !== 'pending') next = leaveForm(next)
  if (purpose.kind === 'edit' && !inbox.some(({ messageId }) => messageId === purpose.messageId))
    next = { ...next, purpose: message }
  return followWriting(next, state)
}
