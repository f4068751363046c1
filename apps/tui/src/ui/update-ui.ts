import type { ListedConversation } from '@parley/protocol'
import { type Intent, stepTo, type UiAction, type UiContext, type UiStep } from './actions.ts'
import { applyHeldKey } from './answer-approval.ts'
import { notePainted } from './answers.ts'
import { putBack } from './composer/composer.ts'
import { leaveForm, reopenForm } from './fill-form.ts'
import { noteAnswered, noteConfigured, noteLostLog } from './outside-changes.ts'
import { pressKey, stampAnswer } from './press-key.ts'
import { pressStopKey } from './press-stop.ts'
import { addNotice, message, openPicker, type UiState } from './ui-state.ts'
import { followWriting } from './write-over-question.ts'

/** Returns the next state of the screen and the requests to carry out; the only way it changes. */
export function updateUi(ui: UiState, action: UiAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'key':
      return pressKey(ui, action.event, context)
    case 'signal':
      return pressStopKey({ ...ui, heldKey: null }, 'ctrl+c', context)
    case 'quiet':
      return stampAnswer(ui, applyHeldKey(ui, context), context)
    case 'painted':
      return stepTo({ ...ui, guard: notePainted(ui.guard, action, context.nowMs) })
    case 'linked':
      return stepTo(linked(ui, action))
    case 'lost':
      return stepTo({
        ...ui,
        link: { kind: 'lost' },
        clientCount: 1,
        stoppingTurn: null,
        stoppingCommand: null,
        answeredApproval: null,
      })
    case 'opened':
      return stepTo(
        { ...ui, picker: null, opened: action.opened, shownTrust: null, lostLog: null },
        ...resendUnsent(ui),
      )
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
      return stepTo(openPicker(ui, action), { kind: 'list' })
    case 'listed':
      return stepTo(fillPicker(ui, action.conversations))
    case 'background':
      return stepTo({ ...ui, background: action.rgb })
    case 'counted':
      return stepTo({ ...ui, clientCount: action.clients })
  }
}

function linked(ui: UiState, { clientId, serverPid }: UiAction & { kind: 'linked' }): UiState {
  return { ...ui, link: { kind: 'up', clientId, serverPid }, ownClients: [...ui.ownClients, clientId] }
}

/** Fills the picker; conversations open in this window's own server do not count as live. */
function fillPicker(ui: UiState, listed: readonly ListedConversation[]): UiState {
  if (ui.picker === null) return ui
  const own = ui.link.kind === 'up' ? ui.link.serverPid : null
  const conversations = listed
    .map((listing) => (listing.live?.pid === own ? { ...listing, live: null } : listing))
    .filter(({ live }) => live !== null || ui.picker?.liveOnly !== true)
  return { ...ui, picker: { ...ui.picker, conversations } }
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
