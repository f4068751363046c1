import { putBack, rewritten } from '@parley/presentation/composer/composer'
import { noteKey, notePainted, type Painted } from '@parley/presentation/question/answers'
import { type ConversationState, type MessageId, unconfiguredProvider } from '@parley/protocol'
import { applyHeldKey } from '../answer-approval.ts'
import { leaveForm, reopenForm } from '../fill-form.ts'
import { keyPress } from '../keys/key-event.ts'
import { isSamePlaces, notePlaces, placedByKey } from '../keys/key-meaning.ts'
import { followStorage, noteAnswered, noteConfigured } from '../outside-changes.ts'
import { followRole } from '../people/held-role.ts'
import { updateMenu } from '../press-in-menu.ts'
import { runEarlyCommands } from '../run-slash.ts'
import { stepTo, type UiAction, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, addNotice, message, type UiState } from '../state/ui-state.ts'
import { followWriting } from '../write-over-question.ts'
import { askForFiles } from './ask-for-files.ts'
import { takeImages } from './attach-images.ts'
import { resendUnsent, updateLink } from './follow-link.ts'
import { isAnswered, placesOf } from './key-places.ts'
import { pressKey, settleKey } from './press-key.ts'
import { takeLine } from './take-line.ts'

/** Returns the next state of the screen and the requests to carry out; the only way it changes. */
export function updateUi(ui: UiState, action: UiAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'key':
    case 'line':
    case 'signal':
      return takeInput(ui, action, context)
    case 'quiet':
      return settleKey(ui, applyHeldKey(ui, context), context)
    case 'pressedElsewhere':
      return stepTo({ ...ui, guard: noteKey(ui.guard, context.nowMs) })
    case 'painted':
      return stepTo(painted(ui, action, context))
    case 'linked':
    case 'lost':
    case 'hangs':
    case 'storage':
    case 'logLost':
    case 'counted':
    case 'takenAway':
      return updateLink(ui, action, context)
    case 'opened':
      return afterOpening(withOpened(ui, action), context)
    case 'recalled':
    case 'recalledAll':
      return stepTo(withPrompts(ui, action))
    case 'imagesFound':
    case 'edited':
    case 'tookBack':
      return stepTo(withText(ui, action))
    case 'hold':
    case 'acknowledged':
    case 'notTaken':
      return stepTo(withMessage(ui, action))
    case 'answerRejected':
      return stepTo({ ...ui, answeredApproval: ui.answeredApproval === action.approvalId ? null : ui.answeredApproval })
    case 'formRejected':
      return stepTo(reopenForm({ ...ui, answeredApproval: null }, action, context.state))
    case 'answered':
    case 'configured':
      return stepTo(noteOutside(ui, action, context.nowMs))
    case 'notice':
      return stepTo(addNotice(ui, action.notice))
    case 'loggedIn':
      return afterLogin(ui, action.provider, context)
    case 'pick':
    case 'listed':
    case 'menuFilled':
    case 'textsFound':
    case 'previewed':
    case 'olderRead':
    case 'rewindPlanned':
    case 'rememberPlanned':
    case 'filesTakenBack':
      return updateMenu(ui, action, context)
    case 'looked':
      return stepTo({ ...ui, ...action.look })
    case 'filesListed':
    case 'partsListed':
    case 'statusTold':
    case 'trustShown':
      return stepTo(withLearned(ui, action, context))
  }
}

/** Keeps a message until the server has it, or gives it back. */
function withMessage(ui: UiState, action: UiAction & { kind: 'hold' | 'acknowledged' | 'notTaken' }): UiState {
  switch (action.kind) {
    case 'hold':
      return { ...ui, unsent: [...ui.unsent, action.message] }
    case 'acknowledged':
      return followStorage({ ...ui, lostLog: null, unsent: withoutMessage(ui, action.messageId) }, null)
    case 'notTaken':
      return returnMessage(ui, action.message)
  }
}

/** Puts text into the composer that came from elsewhere. */
function withText(ui: UiState, action: UiAction & { kind: 'imagesFound' | 'edited' | 'tookBack' }): UiState {
  switch (action.kind) {
    case 'imagesFound':
      return takeImages(ui, action.pasted, action.paths)
    case 'edited':
      return { ...ui, composer: rewritten(ui.composer, action.text) }
    case 'tookBack':
      return { ...ui, composer: putBack(ui.composer, action.text) }
  }
}

function withPrompts(ui: UiState, { kind, prompts }: UiAction & { kind: 'recalled' | 'recalledAll' }): UiState {
  if (kind === 'recalled') return { ...ui, earlierPrompts: prompts }
  return ui.search === null ? ui : { ...ui, allPrompts: prompts }
}

function noteOutside(ui: UiState, action: UiAction & { kind: 'answered' | 'configured' }, nowMs: number): UiState {
  return action.kind === 'answered' ? noteAnswered(ui, action.event) : noteConfigured(ui, action.event, nowMs)
}

/** Says that a login counts; a conversation that began without a model gets one. */
function afterLogin(ui: UiState, provider: string, { state }: UiContext): UiStep {
  if (state?.core.settings.modelProvider === unconfiguredProvider) return stepTo(ui, { kind: 'adoptModel', provider })
  return stepTo(
    addNote(ui, 'info', `Logged in to ${provider}. It counts from the next message on; /model lists its models.`),
  )
}

function takeInput(ui: UiState, action: UiAction & { kind: 'key' | 'line' | 'signal' }, context: UiContext): UiStep {
  switch (action.kind) {
    case 'key':
      return pressKey(ui, action.event, context)
    case 'line':
      return takeLine(ui, action.text, context)
    case 'signal':
      return pressKey({ ...ui, heldKey: null }, keyPress('c', { ctrl: true }), context)
  }
}

/** Takes the open conversation; trouble with its storage that was shown and is over is said to be. */
function withOpened(ui: UiState, { opened, storage }: UiAction & { kind: 'opened' }): UiState {
  const isSame = ui.opened?.conversationId === opened.conversationId
  const before = isSame ? ui.storage : null
  const next = { ...ui, menu: null, opened, shownTrust: null, lostLog: null, storage: before }
  return followStorage(next, storage ?? null)
}

/** Continues with input from before the conversation was open: messages, a command, the beginning of a path. */
function afterOpening(ui: UiState, context: UiContext): UiStep {
  const step = runEarlyCommands(ui, context)
  return askForFiles({ ...step, intents: [...resendUnsent(ui), ...step.intents] }, context)
}

/** Records the question of a frame, and the places that decide the meaning of keys. */
function painted(ui: UiState, frame: Painted, { state, nowMs }: UiContext): UiState {
  const shownPlaces = notePlaces(ui.shownPlaces, placesOf(ui, state), nowMs)
  return { ...ui, guard: notePainted(ui.guard, frame, nowMs), shownPlaces }
}

/**
 * Takes loaded lists for the window. A list of files is replaced once the next is whole; keys act at once on the list
 * that a key asked for.
 */
function withLearned(
  ui: UiState,
  action: UiAction & { kind: 'filesListed' | 'partsListed' | 'statusTold' | 'trustShown' },
  { state }: UiContext,
): UiState {
  if (action.kind === 'trustShown') return { ...ui, shownTrust: action.hash }
  if (action.kind === 'statusTold') return { ...ui, statusText: action.line }
  if (action.kind === 'partsListed') return { ...ui, parts: action.parts }
  const { files } = action
  const { files: before } = ui
  if (before?.isWhole === true && !files.isWhole && before.folder === files.folder) return ui
  const next = { ...ui, files }
  return isSamePlaces(placesOf(ui, state), placesOf(next, state))
    ? next
    : { ...next, shownPlaces: placedByKey(placesOf(next, state)) }
}

function withoutMessage({ unsent }: UiState, messageId: MessageId): UiState['unsent'] {
  return unsent.filter((held) => held.messageId !== messageId)
}

function returnMessage(ui: UiState, { messageId, text }: UiState['unsent'][number]): UiState {
  return { ...ui, unsent: withoutMessage(ui, messageId), lastSent: null, composer: putBack(ui.composer, text) }
}

function inRole(ui: UiState, state: ConversationState): UiState {
  const opened = ui.opened === null ? null : followRole(ui.opened, state)
  return opened === ui.opened ? ui : { ...ui, opened }
}

/** Drops references to ended things of the conversation: an approval answered by others, a sent message. */
export function followState(ui: UiState, { state }: Pick<UiContext, 'state'>): UiState {
  if (state === null) return ui
  const { turn, approvals, inbox, open } = state.core
  let next = inRole(ui, state)
  if (next.stoppingTurn !== null && next.stoppingTurn !== turn?.id) next = { ...next, stoppingTurn: null }
  if (next.stoppingCommand !== null && open[next.stoppingCommand] === undefined)
    next = { ...next, stoppingCommand: null }
  const inBackground = next.inBackground.filter((itemId) => open[itemId] !== undefined)
  if (inBackground.length !== next.inBackground.length) next = { ...next, inBackground }
  if (next.answeredApproval !== null && approvals[next.answeredApproval]?.state !== 'pending')
    next = { ...next, answeredApproval: null }
  if (next.remembering !== null && approvals[next.remembering]?.state !== 'pending')
    next = { ...next, remembering: null }
  if (next.lastSent !== null && isAnswered(next.lastSent.messageId, state)) next = { ...next, lastSent: null }
  const { purpose } = next
  if (purpose.kind === 'note' && approvals[purpose.approvalId]?.state !== 'pending')
    next = { ...next, purpose: message }
  if (purpose.kind === 'form' && approvals[purpose.form.approvalId]?.state !== 'pending') next = leaveForm(next)
  if (purpose.kind === 'edit' && !inbox.some(({ messageId }) => messageId === purpose.messageId))
    next = { ...next, purpose: message }
  return followWriting(next, state)
}
