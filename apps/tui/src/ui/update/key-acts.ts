import { expanded } from '@parley/presentation/composer/composer'
import { answerApproval } from '../answer-approval.ts'
import { archiveChosen, beginDelete, beginRename } from '../choices/press-in-picker.ts'
import { addUsualKeys } from '../command-notes.ts'
import { chooseCompletion, complete, completeModel } from '../completions.ts'
import { applyCommand, type ComposerCommand, commandForKey } from '../composer/command.ts'
import { offerEarlier } from '../earlier-message.ts'
import { pressInForm, previousField } from '../fill-form.ts'
import { editWaiting, inputHistory } from '../inbox.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import type { KeyAct } from '../keys/key-table.ts'
import { pressInMenu } from '../press-in-menu.ts'
import { type Intent, stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { changePart, type UiState } from '../state/ui-state.ts'
import { openByKey, setWriting } from '../write-over-question.ts'
import { cycleMode } from './cycle-mode.ts'
import { restart } from './follow-link.ts'
import { pressEnter } from './press-enter.ts'
import {
  clearText,
  closeMenu,
  closeNote,
  closeRule,
  interruptTurn,
  leaveQuestion,
  offerToLeave,
  sendToBackground,
  stopCommand,
  takeBack,
} from './press-stop.ts'
import { closeSearch, moveSearch, openSearch, pressInSearch, takeFound } from './search-history.ts'

/** Carries out an act; null if there is nothing to do, and the key is input. */
type Act = (ui: UiState, context: UiContext, event: KeyEvent) => UiStep | null

export const acts: Readonly<Record<KeyAct, Act>> = {
  archiveListed: (ui) => archiveChosen(ui),
  answer: (ui, context, event) => answerApproval(ui, event, context),
  backToQuestion: (ui, { state }) => stepTo(setWriting(ui, state, false)),
  breakLine: (ui, context) => edit(ui, { kind: 'newline' }, context),
  chooseCompletion,
  clear: (ui) => stepTo(clearText(ui)),
  clearWindow: only({ kind: 'clear' }),
  closeCompletions: (ui) => stepTo(changePart(ui, 'composing', { dismissed: ui.composing.composer.text })),
  closeMenu: (ui) => closeMenu(ui),
  closeNote: (ui) => stepTo(closeNote(ui)),
  closeRule: (ui) => stepTo(closeRule(ui)),
  closeSearch: (ui) => stepTo(closeSearch(ui)),
  complete,
  completeModel,
  cycleMode,
  deleteListed: (ui, { nowMs }) => beginDelete(ui, nowMs),
  editOutside: (ui) => stepTo(ui, { kind: 'editText', text: expanded(ui.composing.composer) }),
  editWaiting,
  fill: (ui, { state }, event) => pressInForm(ui, event, state),
  interrupt: (ui, { state }) => interruptTurn(ui, state),
  leave: only({ kind: 'leave' }),
  leaveQuestion: (ui, { state }) => leaveQuestion(ui, state),
  nothing: (ui) => stepTo(ui),
  offerEarlier,
  offerToLeave: (ui, { nowMs }) => offerToLeave(ui, nowMs),
  openFold: only({ kind: 'showTranscript', at: 'lastFold' }),
  openTranscript: only({ kind: 'showTranscript', at: 'end' }),
  pick: (ui, context, event) => (ui.menu === null ? null : pressInMenu(ui, ui.menu, event, context)),
  previousField: (ui, { state }) =>
    ui.composing.purpose.kind === 'form' ? stepTo(previousField(ui, ui.composing.purpose.form, state)) : null,
  queue: (ui, context) => pressEnter(ui, 'queue', context),
  renameListed: (ui) => beginRename(ui),
  restart: (ui) => restart(ui),
  search: (ui) => openSearch(ui),
  searchNewer: (ui, { state }) => stepTo(moveSearch(ui, -1, state)),
  searchOlder: (ui, { state }) => stepTo(moveSearch(ui, 1, state)),
  send: (ui, context) => pressEnter(ui, 'steer', context),
  sendToBackground: (ui, { state }) => sendToBackground(ui, state),
  showKeys: (ui) => stepTo(addUsualKeys(ui)),
  stopCommand: (ui, { state }) => stopCommand(ui, state),
  suspend: only({ kind: 'suspend' }),
  takeBack: (ui, { state }) => takeBack(ui, state),
  takeFound: (ui, { state }) => stepTo(takeFound(ui, state)),
  wait: (ui) => stepTo(changePart(ui, 'connection', { hangs: false })),
}

function only(intent: Intent): Act {
  return (ui) => stepTo(ui, intent)
}

/** Handles a key that the table gives no meaning: input of the menu, the form, the question or the composer. */
export function input(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (ui.menu !== null) return pressInMenu(ui, ui.menu, event, context)
  if (ui.history.search !== null) return pressInSearch(ui, event, context)
  return (
    pressInForm(ui, event, context.state) ??
    answerApproval(ui, event, context) ??
    openByKey(ui, event, context) ??
    write(ui, event, context)
  )
}

function write(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const command = commandForKey(event)
  return command === null ? stepTo(ui) : edit(ui, command, context)
}

function edit(ui: UiState, command: ComposerCommand, { state, columns }: UiContext): UiStep {
  const composer = applyCommand(ui.composing.composer, command, {
    columns,
    ambiguous: ui.look.ambiguousWidth,
    history: inputHistory(state, ui.history),
    sent: ui.history.sentPastes,
  })
  if (composer.text === ui.composing.composer.text) return stepTo(changePart(ui, 'composing', { composer }))
  // Text that is deleted to its end leaves the composer open: the next letter is no answer.
  const opened = setWriting(ui, state, true)
  return stepTo(changePart(opened, 'composing', { composer, choice: 0, dismissed: null }))
}
