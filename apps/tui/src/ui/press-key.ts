import { stepTo, type UiContext, type UiStep } from './actions.ts'
import { answerApproval, replaceHeldKey } from './answer-approval.ts'
import { noteKey } from './approval/answer-guard.ts'
import { applyCommand } from './composer/command.ts'
import { emptyComposer, replace } from './composer/composer.ts'
import { chord, commandForKey } from './composer/key-table.ts'
import { pressInForm, previousField } from './fill-form.ts'
import { releaseHeld } from './held-key.ts'
import { inputHistory, inputText, isWhole, ownQueued } from './inbox.ts'
import { pressStop, type Situation, type StopAction, type StopKey } from './interrupts.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { pressInPicker } from './picker.ts'
import { pressEnter } from './press-enter.ts'
import { chosenCompletion, completionsOf } from './slash-commands.ts'
import { addNote, message, type UiState } from './ui-state.ts'

const stopKeys: Readonly<Record<string, StopKey>> = { escape: 'escape', 'ctrl+c': 'ctrl+c', 'ctrl+d': 'ctrl+d' }

/** Handles one key. The first that uses it wins: stop keys, the list, the link, an approval, the text. */
export function pressKey(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (event.kind === 'reply' || event.kind === 'ignored') return stepTo(ui)
  const step = replaceHeldKey(ui, event, context) ?? releasedStep(ui, event, context)
  const reached = step.ui.composer.text === '' ? step.ui.reached : null
  const used = { ...step, ui: { ...step.ui, reached, guard: noteKey(step.ui.guard, context.nowMs) } }
  return stampAnswer(ui, used, context)
}

function releasedStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const released = releaseHeld(ui, event, context.nowMs)
  return released.isUsed ? stepTo(released.ui) : keyStep(released.ui, event, context)
}

/** Records the time of an answer. */
export function stampAnswer(before: UiState, step: UiStep, { nowMs }: UiContext): UiStep {
  const answeredAtMs = step.ui.answeredApproval === before.answeredApproval ? before.answeredAtMs : nowMs
  return { ...step, ui: { ...step.ui, answeredAtMs } }
}

function keyStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const key = event.kind === 'key' ? chord(event) : null
  const stop = key === null ? undefined : stopKeys[key]
  if (stop !== undefined) return pressStopKey(ui, stop, context)
  if (key === 'ctrl+z') return stepTo(ui, { kind: 'suspend' })
  if (ui.picker !== null) return pressInPicker(ui, ui.picker, event)
  if (ui.link.kind === 'lost' && asksToRestart(ui, event))
    return stepTo({ ...ui, link: { kind: 'starting' } }, { kind: 'restart' })
  const filled = pressInForm(ui, event, context.state)
  if (filled !== null) return filled
  const answered = answerApproval(ui, event, context)
  if (answered !== null) return answered
  if (key === 'enter' || key === 'alt+enter') return pressEnter(ui, key === 'enter' ? 'steer' : 'queue', context)
  return pressInList(ui, key) ?? editQueued(ui, key, context) ?? write(ui, event, context)
}

function asksToRestart({ composer }: UiState, event: KeyEvent): boolean {
  if (event.kind === 'text') return event.text === 'r' && composer.text === ''
  return event.kind === 'key' && chord(event) === 'ctrl+r'
}

function pressInList(ui: UiState, key: string | null): UiStep | null {
  const list = completionsOf(ui)
  if (list.length === 0) return null
  if (key === 'up' || key === 'down') {
    const choice = (ui.choice + (key === 'up' ? list.length - 1 : 1)) % list.length
    return stepTo({ ...ui, choice })
  }
  const chosen = chosenCompletion(ui)
  if (key !== 'tab' || chosen === null) return null
  const composer = replace(ui.composer, { start: 0, end: ui.composer.text.length, text: `/${chosen.name} ` })
  return stepTo({ ...ui, composer, choice: 0 })
}

const tooLongToEdit = 'The message that waits is too long to be changed here. It goes out as it was sent.'

/** Edits the newest queued message on Up in an empty composer. */
function editQueued(ui: UiState, key: string | null, { state }: UiContext): UiStep | null {
  if (key !== 'up' || ui.composer.text !== '' || ui.purpose.kind !== 'message') return null
  const newest = state?.core.inbox.at(-1)
  if (newest === undefined) return null
  if (!isWhole(newest.content)) return stepTo(addNote(ui, 'info', tooLongToEdit))
  const composer = replace(ui.composer, { start: 0, end: 0, text: inputText(newest.content) })
  return stepTo({ ...ui, composer, purpose: { kind: 'edit', messageId: newest.messageId } })
}

function write(ui: UiState, event: KeyEvent, { state, columns }: UiContext): UiStep {
  const command = commandForKey(event)
  if (command === null) return stepTo(ui)
  const composer = applyCommand(ui.composer, command, { columns, history: inputHistory(state, ui) })
  return stepTo(
    composer.text === ui.composer.text ? { ...ui, composer } : { ...ui, composer, choice: 0, dismissed: null },
  )
}

/** Handles Escape, Ctrl+C and Ctrl+D by the table of `interrupts`. */
export function pressStopKey(ui: UiState, key: StopKey, context: UiContext): UiStep {
  const pressed = ui.picker !== null && key === 'ctrl+c' ? 'escape' : key
  const { interrupts, action } = pressStop(ui.interrupts, pressed, situationOf(ui, context))
  return actOnStop({ ...ui, interrupts }, action, context)
}

function situationOf(ui: UiState, { state, nowMs }: UiContext): Situation {
  const turn = ui.link.kind === 'up' && ui.opened?.readOnly !== true ? (state?.core.turn ?? null) : null
  return {
    textEmpty: ui.composer.text === '',
    overlayOpen: ui.picker !== null || ui.purpose.kind !== 'message' || completionsOf(ui).length > 0,
    turn: turn === null ? 'none' : ui.stoppingTurn === turn.id ? 'stopping' : 'running',
    nowMs,
  }
}

function actOnStop(ui: UiState, action: StopAction, context: UiContext): UiStep {
  switch (action) {
    case 'none':
    case 'offerToLeave':
      return stepTo(ui)
    case 'clearText':
      return stepTo({
        ...ui,
        composer: applyCommand(ui.composer, { kind: 'clear' }, { columns: context.columns, history: [] }),
        purpose: ui.purpose.kind === 'form' ? ui.purpose : message,
      })
    case 'closeOverlay':
      return closeOverlay(ui, context)
    case 'interruptTurn':
      return interruptTurn(ui, context)
    case 'deleteAfter':
      return stepTo({
        ...ui,
        composer: applyCommand(ui.composer, { kind: 'deleteAfter' }, { columns: context.columns, history: [] }),
      })
    case 'leave':
      return stepTo(ui, { kind: 'leave' })
  }
}

function closeOverlay(ui: UiState, { state }: UiContext): UiStep {
  if (ui.picker !== null) return ui.opened === null ? stepTo(ui, { kind: 'leave' }) : stepTo({ ...ui, picker: null })
  if (ui.purpose.kind === 'form') return stepTo(previousField(ui, ui.purpose.form, state))
  if (ui.purpose.kind !== 'message')
    return stepTo({ ...ui, purpose: message, composer: { ...emptyComposer, killed: ui.composer.killed } })
  return stepTo({ ...ui, dismissed: ui.composer.text })
}

/**
 * Interrupts the turn and returns this client's queued messages to the composer, the oldest first. They were meant for
 * the turn that ends; messages too long to edit stay queued.
 */
function interruptTurn(ui: UiState, { state }: UiContext): UiStep {
  const turnId = state?.core.turn?.id
  if (turnId === undefined) return stepTo(ui)
  const back = ownQueued(state, ui)
    .filter(({ content }) => isWhole(content))
    .toReversed()
    .map(({ messageId, content }) => ({ kind: 'takeBack', messageId, text: inputText(content) }) as const)
  return stepTo({ ...ui, stoppingTurn: turnId }, ...back, { kind: 'interrupt', turnId })
}
