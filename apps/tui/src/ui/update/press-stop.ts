import { clear, emptyComposer, expanded, putBack } from '@parley/presentation/composer/composer'
import { inputText, isWhole } from '@parley/presentation/items/item-words'
import { forgetPainted } from '@parley/presentation/question/answers'
import type { ConversationState } from '@parley/protocol'
import { leaveChange } from '../choices/press-in-picker.ts'
import { ownQueued } from '../inbox.ts'
import { stepTo, type UiStep } from '../state/actions.ts'
import { message } from '../state/composing.ts'
import { addNote, changePart, isOffered, type UiState } from '../state/ui-state.ts'
import { setWriting } from '../write-over-question.ts'
import { foregroundCommand, runningShellCommands } from './key-places.ts'

type State = ConversationState | null

/** Time for the second Ctrl+C that leaves. */
const leaveWithinMs = 2_000

/** Offers to leave, and leaves when asked again in time. */
export function offerToLeave(ui: UiState, nowMs: number): UiStep {
  if (isOffered(ui.keys, 'offerToLeave', nowMs))
    return stepTo(changePart(ui, 'keys', { offer: null }), { kind: 'leave' })
  return stepTo(changePart(ui, 'keys', { offer: { act: 'offerToLeave', untilMs: nowMs + leaveWithinMs } }))
}

/** Clears the text, which undo restores; a note or a change of a message ends. */
export function clearText(ui: UiState): UiState {
  const purpose = ui.composing.purpose.kind === 'form' ? ui.composing.purpose : message
  return changePart(ui, 'composing', { composer: clear(ui.composing.composer), purpose, writing: null })
}

export function closeNote(ui: UiState): UiState {
  return changePart(ui, 'composing', {
    purpose: message,
    composer: { ...emptyComposer, killed: ui.composing.composer.killed },
  })
}

/** Goes back from the rule to the answers, which are another page about the same approval. */
export function closeRule(ui: UiState): UiState {
  return changePart(ui, 'answering', { remembering: null, guard: forgetPainted(ui.answering.guard) })
}

/** Closes the menu, or leaves a change in it; leaves where it is all there is. */
export function closeMenu(ui: UiState): UiStep {
  const { menu } = ui
  if (menu !== null && menu.picker !== null && menu.picker.doing !== null) return leaveChange(ui, menu, menu.picker)
  return ui.opened === null ? stepTo(ui, { kind: 'leave' }) : stepTo({ ...ui, menu: null })
}

/** Leaves from a question; shows text first that it hides, which leaving would lose. */
export function leaveQuestion(ui: UiState, state: State): UiStep {
  return ui.composing.composer.text === '' ? stepTo(ui, { kind: 'leave' }) : stepTo(setWriting(ui, state, true))
}

/** Stops the user's own commands except background commands. */
export function stopCommand(ui: UiState, state: State): UiStep {
  const itemIds = runningShellCommands(ui.work, state)
  const named = ui.work.inBackground.length === 0 ? {} : { itemIds }
  return stepTo(changePart(ui, 'work', { stoppingCommand: itemIds.at(-1) ?? null }), { kind: 'stopShell', ...named })
}

/** Sends the user's own newest command to the background, else the one that the turn waits for; null without either. */
export function sendToBackground(ui: UiState, state: State): UiStep | null {
  const own = runningShellCommands(ui.work, state).at(-1)
  if (own !== undefined)
    return stepTo(addNote(changePart(ui, 'work', { inBackground: [...ui.work.inBackground, own] }), 'info', sentText))
  const itemId = foregroundCommand(state)
  return itemId === null ? null : stepTo(ui, { kind: 'background', itemId })
}

const sentText = 'Your command runs on in the background. It appears here with its output when it ends.'

/**
 * Interrupts the turn and returns this client's queued messages to the composer, the oldest first. They were meant for
 * the turn that ends; messages too long to edit stay queued.
 */
export function interruptTurn(ui: UiState, state: State): UiStep {
  const turnId = state?.core.turn?.id
  if (turnId === undefined) return stepTo(ui)
  const back = ownQueued(state, ui.connection)
    .filter(({ content }) => isWhole(content))
    .toReversed()
    .map(({ messageId, content }) => ({ kind: 'takeBack', messageId, text: inputText(content) }) as const)
  return stepTo(changePart(ui, 'work', { stoppingTurn: turnId }), ...back, { kind: 'interrupt', turnId })
}

/** Takes the last sent message back into the composer, from the held ones or by stopping its turn. */
export function takeBack(ui: UiState, state: State): UiStep {
  const { lastSent } = ui.outbox
  const { composer } = ui.composing
  const isHeld = ui.connection.link.kind === 'starting'
  // On its way to the server it can be neither kept back nor stopped: that takes some milliseconds.
  if (lastSent === null || (!isHeld && state?.core.turn == null)) return stepTo(ui)
  const restored = composer.text === '' ? lastSent.composer : putBack(composer, expanded(lastSent.composer))
  const unsent = ui.outbox.unsent.filter(({ messageId }) => messageId !== lastSent.messageId)
  return interruptTurn(
    { ...ui, composing: { ...ui.composing, composer: restored }, outbox: { ...ui.outbox, lastSent: null, unsent } },
    state,
  )
}
