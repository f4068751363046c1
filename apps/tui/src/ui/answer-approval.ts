import type { Approval, ApprovalDecision } from '@parley/protocol'
import { isReadable, isWhollySeen, mayAnswer } from './answer-guard.ts'
import { type Answer, answerForText, choicesFor, offers, pendingApprovals, saysYes } from './approvals.ts'
import { chord } from './composer/key-table.ts'
import { openForm } from './fill-form.ts'
import { isFresh, type Refusal, takenAtMs } from './held-key.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { stepTo, type UiContext, type UiStep } from './ui-action.ts'
import { say, type UiState } from './ui-state.ts'

const decisions: Readonly<Record<Exclude<Answer, 'note' | 'print'>, ApprovalDecision>> = {
  yes: 'approved',
  yesForConversation: 'approvedForSession',
  yesAlways: 'approvedAlways',
  stop: 'abort',
}

/**
 * The key as an answer to the approval on the screen; null if it is none, and then it is text like any other. While
 * something is being written every key belongs to the text, so that no word can answer.
 */
export function answerApproval(ui: UiState, event: KeyEvent, { state, nowMs }: UiContext): UiStep | null {
  const [approval] = pendingApprovals(state, ui)
  if (approval === undefined || !isFree(ui)) return null
  if (event.kind === 'key') return pressChoice(ui, approval, chord(event), { state, nowMs })
  const answer = event.kind === 'text' ? answerForText(event.text, approval) : null
  if (event.kind !== 'text' || answer === null) return null
  return stepTo(hold(ui, approval, { text: event.text, nowMs, refusal: whyRefused(ui, approval, answer, nowMs) }))
}

/**
 * An answer right after a key that was none: what was said to be missing is there by now, or both begin a word. Null
 * where it is none.
 */
export function answerAgain(ui: UiState, event: KeyEvent, context: UiContext): UiStep | null {
  const { heldKey } = ui
  if (heldKey === null || heldKey.refusal === null || event.kind !== 'text' || ui.picker !== null) return null
  const step = answerApproval({ ...ui, heldKey: null }, event, context)
  const next = step?.ui.heldKey ?? null
  if (step === null || next === null || !isFresh(heldKey, context.nowMs)) return step
  return stepTo({ ...step.ui, heldKey: { ...next, written: heldKey.written + next.written } })
}

/** The letter that was chosen, once no other key has come for long enough. */
export function takeHeld(ui: UiState, { state, nowMs }: UiContext): UiStep {
  const { heldKey } = ui
  const atMs = takenAtMs(ui)
  if (heldKey === null || atMs === null || nowMs < atMs) return stepTo(ui)
  const free = { ...ui, heldKey: null }
  const [approval] = pendingApprovals(state, ui)
  const answer = approval?.id === heldKey.approvalId ? answerForText(heldKey.text, approval) : null
  return approval === undefined || answer === null || !isFree(ui) ? stepTo(free) : actOn(free, approval, answer, state)
}

type When = Pick<UiContext, 'state' | 'nowMs'>

/** Arrows move through the answers, from none to the first or the last; Enter gives the one they reached. */
function pressChoice(ui: UiState, approval: Approval, key: string, { state, nowMs }: When): UiStep | null {
  if (ui.opened?.readOnly === true) return null
  const answer = ui.reached?.approvalId === approval.id ? ui.reached.answer : null
  if (key === 'enter' && answer !== null) {
    const refusal = whyNotReached(ui, approval, answer, nowMs)
    return refusal === null
      ? actOn({ ...ui, reached: null }, approval, answer, state)
      : stepTo(held(ui, approval, { text: '', nowMs, refusal }))
  }
  if (key !== 'up' && key !== 'down') return null
  if (!isReadable(ui.guard, approval.id, nowMs)) return stepTo(ui)
  const answers = choicesFor(approval).map((choice) => choice.answer)
  const next = answers.at(stepFrom(answer === null ? null : answers.indexOf(answer), key) % answers.length)
  return stepTo(next === undefined ? ui : { ...ui, reached: { approvalId: approval.id, answer: next } })
}

function stepFrom(at: number | null, key: 'up' | 'down'): number {
  if (at === null) return key === 'up' ? -1 : 0
  return key === 'up' ? at - 1 : at + 1
}

interface Pressed {
  readonly text: string
  readonly nowMs: number
  readonly refusal: Refusal | null
}

/** A letter answers in the place of the row that an arrow reached; `v` only shows more of the question. */
function hold(ui: UiState, approval: Approval, pressed: Pressed): UiState {
  const isPrinting = answerForText(pressed.text, approval) === 'print'
  return held(isPrinting ? ui : { ...ui, reached: null }, approval, pressed)
}

function held(ui: UiState, { id }: Approval, { text, nowMs, refusal }: Pressed): UiState {
  return { ...ui, heldKey: { text, written: text, atMs: nowMs, approvalId: id, refusal } }
}

/** A key that is not taken is said to be none, so that nobody waits for what it should have done. */
function whyRefused(ui: UiState, approval: Approval, answer: Answer, nowMs: number): Refusal | null {
  if (ui.opened?.readOnly === true && answer !== 'print') return 'readOnly'
  if (!mayAnswer(ui.guard, approval.id, nowMs)) return 'tooEarly'
  return refusesUnseen(ui, approval, answer) ? 'unseen' : null
}

/** The row stays reached, so that Enter can be pressed again. */
function whyNotReached(ui: UiState, approval: Approval, answer: Answer, nowMs: number): Refusal | null {
  if (refusesUnseen(ui, approval, answer)) return 'unseen'
  return saysYes(answer) && !isReadable(ui.guard, approval.id, nowMs) ? 'tooEarly' : null
}

function refusesUnseen({ guard }: UiState, { id }: Approval, answer: Answer): boolean {
  return saysYes(answer) && !isWhollySeen(guard, id)
}

function isFree({ composer, purpose, link, opened }: UiState): boolean {
  return composer.text === '' && purpose.kind === 'message' && link.kind === 'up' && opened !== null
}

/** The decision names the approval that was painted, so an answer can never reach another one. */
function actOn(ui: UiState, approval: Approval, answer: Answer, state: UiContext['state']): UiStep {
  switch (answer) {
    case 'print':
      return stepTo(
        say(ui, { kind: 'approvalDetail', approval, enforcement: state?.core.settings.enforcement ?? 'none' }),
      )
    case 'note':
      if (approval.kind === 'elicitation') return decide(ui, approval, 'denied')
      return stepTo({ ...ui, purpose: { kind: 'note', approvalId: approval.id } })
    default:
      if (approval.kind === 'elicitation' && answer === 'yes') return openForm(ui, approval)
      return decide(ui, approval, decisions[answer])
  }
}

function decide(ui: UiState, approval: Approval, decision: ApprovalDecision): UiStep {
  if (!offers(approval, decision)) return stepTo(ui)
  return stepTo({ ...ui, answeredApproval: approval.id }, { kind: 'decide', approvalId: approval.id, decision })
}
