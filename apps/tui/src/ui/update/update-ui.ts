import { putBack, rewritten } from '@parley/presentation/composer/composer'
import { noteKey, notePainted, type Painted } from '@parley/presentation/question/answers'
import {
  type ApprovalId,
  type ConversationCore,
  type ItemId,
  type MessageId,
  unconfiguredProvider,
} from '@parley/protocol'
import { applyHeldKey } from '../answer-approval.ts'
import { followPurpose, reopenForm } from '../fill-form.ts'
import { keyPress } from '../keys/key-event.ts'
import { isSamePlaces, notePlaces, placedByKey } from '../keys/key-meaning.ts'
import { followStorage, noteAnswered, noteConfigured } from '../outside-changes.ts'
import { followRole } from '../people/held-role.ts'
import { updateMenu } from '../press-in-menu.ts'
import { runEarlyCommands } from '../run-slash.ts'
import { stepTo, type UiAction, type UiContext, type UiStep } from '../state/actions.ts'
import {
  type Answering,
  addNote,
  addNotice,
  changePart,
  hold,
  type Outbox,
  type UiState,
  type Unsent,
  type WorkControl,
} from '../state/ui-state.ts'
import { followWriting } from '../write-over-question.ts'
import { askForFiles } from './ask-for-lists.ts'
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
      return stepTo(changePart(ui, 'answering', { guard: noteKey(ui.answering.guard, context.nowMs) }))
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
    case 'formRejected':
      return stepTo(withoutAnswer(ui, action, context))
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
      return stepTo(changePart(ui, 'look', action.look))
    case 'filesListed':
    case 'partsListed':
    case 'statusTold':
    case 'trustShown':
      return stepTo(withLearned(ui, action, context))
  }
}

/** Shows the approval again, and opens the form at the field that was rejected. */
function withoutAnswer(
  ui: UiState,
  action: UiAction & { kind: 'answerRejected' | 'formRejected' },
  { state }: UiContext,
): UiState {
  const isOther = action.kind === 'answerRejected' && ui.answering.answeredApproval !== action.approvalId
  if (isOther) return ui
  const open = changePart(ui, 'answering', { answeredApproval: null })
  return action.kind === 'formRejected' ? reopenForm(open, action, state) : open
}

/** Keeps a message until the server has it, or gives it back. */
function withMessage(ui: UiState, action: UiAction & { kind: 'hold' | 'acknowledged' | 'notTaken' }): UiState {
  switch (action.kind) {
    case 'hold':
      return hold(ui, action.message)
    case 'acknowledged':
      return followStorage(acknowledged(ui, action.messageId), null)
    case 'notTaken':
      return returnMessage(ui, action.message)
  }
}

function acknowledged(ui: UiState, messageId: MessageId): UiState {
  const sent = changePart(ui, 'outbox', { unsent: withoutMessage(ui.outbox, messageId) })
  return changePart(sent, 'storage', { lostLog: null })
}

/** Puts text into the composer that came from elsewhere. */
function withText(ui: UiState, action: UiAction & { kind: 'imagesFound' | 'edited' | 'tookBack' }): UiState {
  switch (action.kind) {
    case 'imagesFound':
      return takeImages(ui, action.pasted, action.paths)
    case 'edited':
      return changePart(ui, 'composing', { composer: rewritten(ui.composing.composer, action.text) })
    case 'tookBack':
      return changePart(ui, 'composing', { composer: putBack(ui.composing.composer, action.text) })
  }
}

function withPrompts(ui: UiState, { kind, prompts }: UiAction & { kind: 'recalled' | 'recalledAll' }): UiState {
  if (kind === 'recalled') return changePart(ui, 'history', { earlierPrompts: prompts })
  return ui.history.search === null ? ui : changePart(ui, 'history', { allPrompts: prompts })
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
      return pressKey(changePart(ui, 'answering', { heldKey: null }), keyPress('c', { ctrl: true }), context)
  }
}

/** Takes the open conversation; trouble with its storage that was shown and is over is said to be. */
function withOpened(ui: UiState, { opened, storage }: UiAction & { kind: 'opened' }): UiState {
  const isSame = ui.opened?.conversationId === opened.conversationId
  const before = isSame ? ui.storage.errno : null
  const next = { ...ui, menu: null, opened, shownTrust: null, storage: { errno: before, lostLog: null } }
  return followStorage(next, storage ?? null)
}

/** Continues with input from before the conversation was open: messages, a command, the beginning of a path. */
function afterOpening(ui: UiState, context: UiContext): UiStep {
  const step = runEarlyCommands(ui, context)
  return askForFiles({ ...step, intents: [...resendUnsent(ui.outbox), ...step.intents] }, context)
}

/** Records the question of a frame, and the places that decide the meaning of keys. */
function painted(ui: UiState, frame: Painted, { state, nowMs }: UiContext): UiState {
  const shownPlaces = notePlaces(ui.keys.shownPlaces, placesOf(ui, state), nowMs)
  return {
    ...ui,
    answering: { ...ui.answering, guard: notePainted(ui.answering.guard, frame, nowMs) },
    keys: { ...ui.keys, shownPlaces },
  }
}

/**
 * Takes loaded lists for the window. A whole list of files stays until the next one is whole; keys act at once on a
 * list that a key asked for.
 */
function withLearned(
  ui: UiState,
  action: UiAction & { kind: 'filesListed' | 'partsListed' | 'statusTold' | 'trustShown' },
  { state }: UiContext,
): UiState {
  if (action.kind === 'trustShown') return { ...ui, shownTrust: action.hash }
  if (action.kind === 'statusTold') return { ...ui, statusText: action.line }
  if (action.kind === 'partsListed') return changePart(ui, 'lists', { parts: action.parts })
  const { files } = action
  const { files: before } = ui.lists
  if (before?.isWhole === true && !files.isWhole && before.folder === files.folder) return ui
  const next = changePart(ui, 'lists', { files })
  return isSamePlaces(placesOf(ui, state), placesOf(next, state))
    ? next
    : changePart(next, 'keys', { shownPlaces: placedByKey(placesOf(next, state)) })
}

function withoutMessage({ unsent }: Outbox, messageId: MessageId): Outbox['unsent'] {
  return unsent.filter((held) => held.messageId !== messageId)
}

function returnMessage(ui: UiState, { messageId, text }: Unsent): UiState {
  const returned = changePart(ui, 'composing', { composer: putBack(ui.composing.composer, text) })
  return changePart(returned, 'outbox', { unsent: withoutMessage(ui.outbox, messageId), lastSent: null })
}

function followWork(
  { stoppingTurn, stoppingCommand, inBackground }: WorkControl,
  { turn, open }: ConversationCore,
): WorkControl {
  const isOpen = (itemId: ItemId) => open[itemId] !== undefined
  return {
    stoppingTurn: stoppingTurn === turn?.id ? stoppingTurn : null,
    stoppingCommand: stoppingCommand !== null && isOpen(stoppingCommand) ? stoppingCommand : null,
    inBackground: inBackground.filter(isOpen),
  }
}

function followAnswer(answering: Answering, approvals: ConversationCore['approvals']): Answering {
  const ifPending = (id: ApprovalId | null) => (id !== null && approvals[id]?.state === 'pending' ? id : null)
  return {
    ...answering,
    answeredApproval: ifPending(answering.answeredApproval),
    remembering: ifPending(answering.remembering),
  }
}

/** Drops references to ended things of the conversation: an approval answered by others, a sent message. */
export function followState(ui: UiState, { state }: Pick<UiContext, 'state'>): UiState {
  if (state === null) return ui
  const { lastSent } = ui.outbox
  const isOver = lastSent !== null && isAnswered(lastSent.messageId, state)
  const followed: UiState = {
    ...ui,
    opened: ui.opened === null ? null : followRole(ui.opened, state),
    work: followWork(ui.work, state.core),
    answering: followAnswer(ui.answering, state.core.approvals),
    outbox: isOver ? { ...ui.outbox, lastSent: null } : ui.outbox,
  }
  return followWriting(followPurpose(followed, state.core), state)
}
