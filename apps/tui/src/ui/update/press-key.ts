import { completed } from '@parley/presentation/composer/completion'
import { clear, expanded, insert, replace } from '@parley/presentation/composer/composer'
import { inputText, isWhole } from '@parley/presentation/items/item-words'
import { noteKey } from '@parley/presentation/question/answers'
import { answerApproval, releaseHeld, replaceHeldKey } from '../answer-approval.ts'
import { archiveChosen, beginDelete, beginRename } from '../choices/press-in-picker.ts'
import { addUsualKeys } from '../command-notes.ts'
import { chosenCompletion, completionsOf } from '../completions.ts'
import { applyCommand, type ComposerCommand, chord, commandForKey } from '../composer/command.ts'
import { offerEarlier } from '../earlier-message.ts'
import { pressInForm, previousField } from '../fill-form.ts'
import { inputHistory } from '../inbox.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { actOfKey, isMeaningNew, isSamePlaces, notePlaces, placedByKey } from '../keys/key-meaning.ts'
import type { KeyAct } from '../keys/key-table.ts'
import { openModelMenu, pressInMenu } from '../press-in-menu.ts'
import { type Intent, stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'
import { isComposerHidden, openByKey, setWriting } from '../write-over-question.ts'
import { askForFiles } from './ask-for-files.ts'
import { askForParts } from './ask-for-parts.ts'
import { askForImages } from './attach-images.ts'
import { cycleMode } from './cycle-mode.ts'
import { restart } from './follow-link.ts'
import { placesOf, situationOf } from './key-places.ts'
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

/** Handles one key: a held answer first, then the key's row in the table, then the place as input. */
export function pressKey(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (event.kind === 'reply' || event.kind === 'ignored') return stepTo(ui)
  const shown = { ...ui, shownPlaces: notePlaces(ui.shownPlaces, placesOf(ui, context.state), context.nowMs) }
  const step = replaceHeldKey(shown, event, context) ?? releasedStep(shown, event, context)
  const isAsked = step.ui.composer.text === '' || isComposerHidden(step.ui, context.state)
  const reached = isAsked ? step.ui.reached : null
  const used = { ...step.ui, reached, guard: noteKey(step.ui.guard, context.nowMs) }
  const settled = settleKey(shown, { ...step, ui: used }, context)
  return askForImages(ui, askForParts(ui, askForFiles(settled, context), context), event)
}

function releasedStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const released = releaseHeld(ui, event, context)
  return released.isUsed ? stepTo(released.ui) : keyStep(released.ui, event, context)
}

/** Records the time of an answer, and the places that the key has brought about. */
export function settleKey(before: UiState, step: UiStep, { state, nowMs }: UiContext): UiStep {
  const places = placesOf(step.ui, state)
  const isUnchanged = isSamePlaces(places, placesOf(before, state))
  const shownPlaces = isUnchanged ? step.ui.shownPlaces : placedByKey(places)
  return { ...step, ui: { ...withAnswerTime(before, step.ui, nowMs), shownPlaces } }
}

/** Returns the state with the time of an answer that was given in this step. */
export function withAnswerTime(before: UiState, ui: UiState, nowMs: number): UiState {
  const isSame = ui.answeredApproval === before.answeredApproval
  return isSame ? ui : { ...ui, answeredAtMs: nowMs }
}

function keyStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const key = keyOf(event)
  const situation = situationOf(ui, context.state)
  const act = key === null ? null : actOfKey(key, situation)
  if (key !== null && isMeaningNew(ui.shownPlaces, key, situation, context.nowMs))
    // A letter that began a word when it was pressed is still text.
    return event.kind === 'key' ? stepTo(ui) : input(ui, event, context)
  const before = withoutOffers(ui, act)
  return (act === null ? null : acts[act](before, context, event)) ?? input(before, event, context)
}

/** Withdraws what another key has offered to do when it is pressed again. */
function withoutOffers(ui: UiState, act: KeyAct | null): UiState {
  return ui.offer === null || ui.offer.act === act ? ui : { ...ui, offer: null }
}

/** Returns the key as the table names it: its chord, or a single typed character. */
function keyOf(event: KeyEvent): string | null {
  if (event.kind === 'key') return chord(event)
  // Several letters that came at once are text, also where they are the name of a key.
  return event.kind === 'text' && [...event.text].length === 1 ? event.text : null
}

/** Carries out an act; null if there is nothing to do, and the key is input. */
type Act = (ui: UiState, context: UiContext, event: KeyEvent) => UiStep | null

const acts: Readonly<Record<KeyAct, Act>> = {
  archiveListed: (ui) => archiveChosen(ui),
  answer: (ui, context, event) => answerApproval(ui, event, context),
  backToQuestion: (ui, { state }) => stepTo(setWriting(ui, state, false)),
  breakLine: (ui, context) => edit(ui, { kind: 'newline' }, context),
  chooseCompletion,
  clear: (ui) => stepTo(clearText(ui)),
  clearWindow: only({ kind: 'clear' }),
  closeCompletions: (ui) => stepTo({ ...ui, dismissed: ui.composer.text }),
  closeMenu: (ui) => closeMenu(ui),
  closeNote: (ui) => stepTo(closeNote(ui)),
  closeRule: (ui) => stepTo(closeRule(ui)),
  closeSearch: (ui) => stepTo(closeSearch(ui)),
  complete,
  completeModel,
  cycleMode,
  deleteListed: (ui, { nowMs }) => beginDelete(ui, nowMs),
  editOutside: (ui) => stepTo(ui, { kind: 'editText', text: expanded(ui.composer) }),
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
    ui.purpose.kind === 'form' ? stepTo(previousField(ui, ui.purpose.form, state)) : null,
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
  wait: (ui) => stepTo({ ...ui, hangs: false }),
}

function only(intent: Intent): Act {
  return (ui) => stepTo(ui, intent)
}

/** Handles a key that the table gives no meaning: input of the menu, the form, the question or the composer. */
function input(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (ui.menu !== null) return pressInMenu(ui, ui.menu, event, context)
  if (ui.search !== null) return pressInSearch(ui, event, context)
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
  const composer = applyCommand(ui.composer, command, {
    columns,
    ambiguous: ui.ambiguousWidth,
    history: inputHistory(state, ui),
    sent: ui.sentPastes,
  })
  if (composer.text === ui.composer.text) return stepTo({ ...ui, composer })
  // Text that is deleted to its end leaves the composer open: the next letter is no answer.
  return stepTo({ ...setWriting(ui, state, true), composer, choice: 0, dismissed: null })
}

function chooseCompletion(ui: UiState, _: UiContext, event: KeyEvent): UiStep {
  const { length } = completionsOf(ui)
  const step = event.kind === 'key' && event.name === 'up' ? length - 1 : 1
  return stepTo({ ...ui, choice: (ui.choice + step) % length })
}

function complete(ui: UiState): UiStep | null {
  const chosen = chosenCompletion(ui)
  if (chosen === null) return null
  return stepTo({ ...ui, composer: completed(ui.composer, chosen), choice: 0 })
}

/** Opens the list of models where one is being named; null for any other text. */
function completeModel(ui: UiState, context: UiContext): UiStep | null {
  const typed = /^\/model +(.*)$/.exec(ui.composer.text)?.[1]
  if (typed === undefined || ui.link.kind !== 'up') return null
  const step = openModelMenu({ ...ui, composer: clear(ui.composer) }, context)
  const { menu } = step.ui
  return menu === null ? step : { ...step, ui: { ...step.ui, menu: { ...menu, filter: insert(menu.filter, typed) } } }
}

const tooLongToEdit = 'The message that waits is too long to be changed here. It goes out as it was sent.'

/** Puts the newest queued message in the composer; null without a queued message. */
function editWaiting(ui: UiState, { state }: UiContext): UiStep | null {
  const newest = state?.core.inbox.at(-1)
  if (newest === undefined) return null
  if (!isWhole(newest.content)) return stepTo(addNote(ui, 'info', tooLongToEdit))
  const composer = replace(ui.composer, { start: 0, end: 0, text: inputText(newest.content) })
  return stepTo({ ...ui, composer, purpose: { kind: 'edit', messageId: newest.messageId } })
}
