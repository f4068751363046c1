import type { ListedConversation } from '@parley/protocol'
import { takeHeld } from './answer-approval.ts'
import { notePainted } from './answer-guard.ts'
import { putBack } from './composer/composer.ts'
import { leave, reopenForm } from './fill-form.ts'
import type { Intent } from './intent.ts'
import { pressKey, pressStopKey, stampAnswer } from './press-key.ts'
import { sayAnswered } from './say-answered.ts'
import { sayConfigured } from './say-configured.ts'
import { stepTo, type UiAction, type UiContext, type UiStep } from './ui-action.ts'
import { message, openPicker, say, sayNote, type UiState } from './ui-state.ts'

/** The one way the screen's own state changes. */
export function updateUi(ui: UiState, action: UiAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'key':
      return pressKey(ui, action.event, context)
    case 'signal':
      return pressStopKey({ ...ui, heldKey: null }, 'ctrl+c', context)
    case 'quiet':
      return stampAnswer(ui, takeHeld(ui, context), context)
    case 'painted':
      return stepTo({ ...ui, guard: notePainted(ui.guard, action, context.nowMs) })
    case 'linked':
      return stepTo(linked(ui, action))
    case 'lost':
      return stepTo({ ...ui, link: { kind: 'lost' }, clientCount: 1, stoppingTurn: null, answeredApproval: null })
    case 'opened':
      return stepTo({ ...ui, picker: null, opened: action.opened, shownTrust: null, lostLog: null }, ...sendHeld(ui))
    case 'recalled':
      return stepTo({ ...ui, earlierPrompts: action.prompts })
    case 'hold':
      return stepTo({ ...ui, unsent: [...ui.unsent, action.message] })
    case 'acknowledged':
      // A log that was put back takes events again.
      return stepTo({
        ...ui,
        lostLog: null,
        unsent: ui.unsent.filter(({ messageId }) => messageId !== action.messageId),
      })
    case 'notTaken':
      return stepTo(giveBack(ui, action.message))
    case 'tookBack':
      return stepTo({ ...ui, composer: putBack(ui.composer, action.text) })
    case 'answerRefused':
      return stepTo({ ...ui, answeredApproval: ui.answeredApproval === action.approvalId ? null : ui.answeredApproval })
    case 'formRefused':
      return stepTo(reopenForm({ ...ui, answeredApproval: null }, action, context.state))
    case 'answered':
      return stepTo(sayAnswered(ui, action.event))
    case 'configured':
      return stepTo(sayConfigured(ui, action.event))
    case 'say':
      return stepTo(say(ui, action.said))
    case 'logLost':
      return stepTo(sayLostLog(ui, action))
    case 'trustShown':
      return stepTo({ ...ui, shownTrust: action.hash })
    case 'pick':
      return stepTo(openPicker(ui, action), { kind: 'list' })
    case 'listed':
      return stepTo(fillPicker(ui, action.conversations))
    case 'counted':
      return stepTo({ ...ui, clientCount: action.clients })
  }
}

function linked(ui: UiState, { clientId, serverPid }: UiAction & { kind: 'linked' }): UiState {
  return { ...ui, link: { kind: 'up', clientId, serverPid }, ownClients: [...ui.ownClients, clientId] }
}

/** What the server we talk to has open is not open elsewhere. */
function fillPicker(ui: UiState, listed: readonly ListedConversation[]): UiState {
  if (ui.picker === null) return ui
  const own = ui.link.kind === 'up' ? ui.link.serverPid : null
  const conversations = listed
    .map((listing) => (listing.live?.pid === own ? { ...listing, live: null } : listing))
    .filter(({ live }) => live !== null || ui.picker?.liveOnly !== true)
  return { ...ui, picker: { ...ui.picker, conversations } }
}

/** Sent again after a lost connection too: the same id is taken once. */
function sendHeld({ unsent }: UiState): readonly Intent[] {
  return unsent.map((held) => ({ kind: 'send', message: held }))
}

function giveBack(ui: UiState, { messageId, text }: UiState['unsent'][number]): UiState {
  const unsent = ui.unsent.filter((held) => held.messageId !== messageId)
  return { ...ui, unsent, composer: putBack(ui.composer, text) }
}

/** Lets go of what the conversation no longer has: an approval that others answered, a message that was sent. */
export function followState(ui: UiState, { state }: Pick<UiContext, 'state'>): UiState {
  if (state === null) return ui
  const { turn, approvals, inbox } = state.core
  let next = ui
  if (next.stoppingTurn !== null && next.stoppingTurn !== turn?.id) next = { ...next, stoppingTurn: null }
  if (next.answeredApproval !== null && approvals[next.answeredApproval]?.state !== 'pending')
    next = { ...next, answeredApproval: null }
  const { purpose } = next
  if (purpose.kind === 'note' && approvals[purpose.approvalId]?.state !== 'pending')
    next = { ...next, purpose: message }
  if (purpose.kind === 'form' && approvals[purpose.form.approvalId]?.state !== 'pending') next = leave(next)
  if (purpose.kind === 'edit' && !inbox.some(({ messageId }) => messageId === purpose.messageId))
    next = { ...next, purpose: message }
  return next
}

/** The sentence is said once; after that only that nothing was done. */
function sayLostLog(ui: UiState, { log, isAnswer }: Extract<UiAction, { kind: 'logLost' }>): UiState {
  if (ui.lostLog?.text !== log.text) return sayNote({ ...ui, lostLog: log }, 'error', log.text)
  return isAnswer ? sayNote(ui, 'error', notDone) : ui
}

const notDone =
  'Not done: this conversation has stopped, for the reason above. /new begins another one; Ctrl+C clears the text.'
