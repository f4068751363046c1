import { noteKey } from '@parley/presentation/question/answers'
import { releaseHeld, replaceHeldKey } from '../answer-approval.ts'
import { chord } from '../composer/command.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { actOfKey, isMeaningNew, isSamePlaces, notePlaces, placedByKey } from '../keys/key-meaning.ts'
import type { KeyAct } from '../keys/key-table.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { changePart, type UiState } from '../state/ui-state.ts'
import { isComposerHidden } from '../write-over-question.ts'
import { askForFiles, askForParts } from './ask-for-lists.ts'
import { askForImages } from './attach-images.ts'
import { acts, input } from './key-acts.ts'
import { placesOf, situationOf } from './key-places.ts'

/** Handles one key: a held answer first, then the key's row in the table, then the place as input. */
export function pressKey(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  if (event.kind === 'reply' || event.kind === 'ignored') return stepTo(ui)
  const shownPlaces = notePlaces(ui.keys.shownPlaces, placesOf(ui, context.state), context.nowMs)
  const shown = changePart(ui, 'keys', { shownPlaces })
  const step = replaceHeldKey(shown, event, context) ?? releasedStep(shown, event, context)
  const isAsked = step.ui.composing.composer.text === '' || isComposerHidden(step.ui, context.state)
  const { reached, guard } = step.ui.answering
  const noted = { reached: isAsked ? reached : null, guard: noteKey(guard, context.nowMs) }
  const used = changePart(step.ui, 'answering', noted)
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
  const shownPlaces = isUnchanged ? step.ui.keys.shownPlaces : placedByKey(places)
  return { ...step, ui: changePart(withAnswerTime(before, step.ui, nowMs), 'keys', { shownPlaces }) }
}

/** Returns the state with the time of an answer that was given in this step. */
export function withAnswerTime(before: UiState, ui: UiState, nowMs: number): UiState {
  const isSame = ui.answering.answeredApproval === before.answering.answeredApproval
  return isSame ? ui : changePart(ui, 'answering', { answeredAtMs: nowMs })
}

function keyStep(ui: UiState, event: KeyEvent, context: UiContext): UiStep {
  const key = keyOf(event)
  const situation = situationOf(ui, context.state)
  const act = key === null ? null : actOfKey(key, situation)
  if (key !== null && isMeaningNew(ui.keys.shownPlaces, key, situation, context.nowMs))
    // A letter that began a word when it was pressed is still text.
    return event.kind === 'key' ? stepTo(ui) : input(ui, event, context)
  const before = withoutOffers(ui, act)
  return (act === null ? null : acts[act](before, context, event)) ?? input(before, event, context)
}

/** Withdraws what another key has offered to do when it is pressed again. */
function withoutOffers(ui: UiState, act: KeyAct | null): UiState {
  return ui.keys.offer === null || ui.keys.offer.act === act ? ui : changePart(ui, 'keys', { offer: null })
}

/** Returns the key as the table names it: its chord, or a single typed character. */
function keyOf(event: KeyEvent): string | null {
  if (event.kind === 'key') return chord(event)
  // Several letters that came at once are text, also where they are the name of a key.
  return event.kind === 'text' && [...event.text].length === 1 ? event.text : null
}
