import { insert } from '@parley/presentation/composer/composer'
import {
  answerForText,
  choicesFor,
  decisionFor,
  forgetPainted,
  isFresh,
  isReadable,
  isWhollySeen,
  isYes,
  type KeyAnswer,
  mayAnswer,
  modeToWorkIn,
  offers,
  type Refusal,
  takenAtMs,
} from '@parley/presentation/question/answers'
import type { Answers, Approval, ApprovalDecision } from '@parley/protocol'
import { isForm, planAnswers } from '@parley/protocol/question'
import { chord, commandForKey } from './composer/command.ts'
import { openForm } from './fill-form.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { maySend, onlyReads } from './people/held-role.ts'
import { stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { type Answering, addNote, addNotice, changePart, type UiState, waitingApprovals } from './state/ui-state.ts'
import { isWritingOver, setMessageAside, setWriting } from './write-over-question.ts'

/**
 * Handles a key as an answer to the approval on the screen; null if it is text. While the composer is open every key is
 * text, so that no typed word can answer.
 */
export function answerApproval(ui: UiState, event: KeyEvent, { state, nowMs }: UiContext): UiStep | null {
  const [approval] = waitingApprovals(state, ui)
  if (approval === undefined || !isFree(ui)) return null
  if (event.kind === 'key') {
    const key = chord(event)
    return isRemembering(ui.answering, approval)
      ? pressAtRule(ui, approval, key, { state, nowMs })
      : pressChoice(ui, approval, key, { state, nowMs })
  }
  if (event.kind !== 'text' || [...event.text].length > 1) return null
  const answer = answerOnPage(ui, approval, event.text)
  if (answer === null && onlyReads(ui.opened)) return null
  return stepTo(hold(ui, approval, { text: event.text, nowMs, refusal: whyRefused(ui, approval, answer, nowMs) }))
}

/** Returns the answer that a letter gives; while a rule is shown, only its key and the look-ups count. */
function answerOnPage(ui: UiState, approval: Approval, text: string): KeyAnswer | null {
  const answer = answerForText(text, approval)
  if (!isRemembering(ui.answering, approval) || answer === null) return answer
  return answer === 'remember' || answer === 'print' || answer === 'why' ? answer : null
}

function isRemembering({ remembering }: Answering, { id }: Approval): boolean {
  return remembering === id
}

/**
 * Handles an answer right after a rejected key: the obstacle may be gone, or both keys begin a word. Null if one of
 * them is no answer.
 */
export function replaceHeldKey(ui: UiState, event: KeyEvent, context: UiContext): UiStep | null {
  const { heldKey } = ui.answering
  if (heldKey === null || heldKey.refusal === null || event.kind !== 'text' || ui.menu !== null) return null
  const step = answerApproval(changePart(ui, 'answering', { heldKey: null }), event, context)
  const next = step?.ui.answering.heldKey ?? null
  if (step === null || next === null || !isFresh(heldKey, context.nowMs)) return step
  if (heldKey.refusal === 'noAnswer' || next.refusal === 'noAnswer') return null
  return stepTo(changePart(step.ui, 'answering', { heldKey: { ...next, written: heldKey.written + next.written } }))
}

/** Carries out the held letter once no other key has come for long enough. */
export function applyHeldKey(ui: UiState, { state, nowMs }: UiContext): UiStep {
  const { heldKey } = ui.answering
  const atMs = takenAtMs(ui.answering)
  if (heldKey === null || atMs === null || nowMs < atMs) return stepTo(ui)
  const free = changePart(ui, 'answering', { heldKey: null })
  const [approval] = waitingApprovals(state, ui)
  const answer = approval?.id === heldKey.approvalId ? answerOnPage(ui, approval, heldKey.text) : null
  return approval === undefined || answer === null || !isFree(ui) ? stepTo(free) : actOn(free, approval, answer, state)
}

type When = Pick<UiContext, 'state' | 'nowMs'>

/** Answer that was typed as a word; `note`: what to do instead, after a no. */
export interface TypedAnswer {
  readonly word: string
  readonly answer: KeyAnswer
  readonly note: string
}

/** Gives an answer that was typed as a word, or says why it does not count. It never becomes a message. */
export function answerByWord(ui: UiState, { word, answer, note }: TypedAnswer, { state, nowMs }: When): UiStep {
  const [approval] = waitingApprovals(state, ui)
  if (approval === undefined || ui.connection.link.kind !== 'up') return stepTo(ui)
  const isLookUp = answer === 'print' || answer === 'why'
  const isOffered = isLookUp || choicesFor(approval).some((choice) => choice.answer === answer)
  const isOnPage = !isRemembering(ui.answering, approval) || isLookUp || answer === 'remember'
  const refusal = isOffered && isOnPage ? whyRefused(ui, approval, answer, nowMs) : 'noAnswer'
  if (refusal !== null) return stepTo(addNote(ui, 'warning', wordRefusals[refusal](word)))
  if (answer !== 'note') return actOn(ui, approval, answer, state)
  const answered = changePart(ui, 'answering', { answeredApproval: approval.id })
  const noted = note === '' ? {} : { note }
  return stepTo(answered, { kind: 'decide', approvalId: approval.id, decision: 'denied', ...noted })
}

const wordRefusals: Readonly<Record<Refusal, (word: string) => string>> = {
  tooEarly: (word) => `Too early: type ${word} again.`,
  readOnly: (word) => `${word} was not taken: this window is read-only.`,
  unseen: (word) => `Not all of the question has been printed: type v, then ${word} again.`,
  noAnswer: (word) => `${word} is not an answer to this question, and was not sent.`,
}

/** Highlights answers with the arrows, starting at the first or last; Enter gives the highlighted one. */
function pressChoice(ui: UiState, approval: Approval, key: string, { state, nowMs }: When): UiStep | null {
  if (onlyReads(ui.opened)) return null
  const answer = ui.answering.reached?.approvalId === approval.id ? ui.answering.reached.answer : null
  if (key === 'enter' && answer !== null) {
    const refusal = whyNotReached(ui.answering, approval, answer, nowMs)
    return refusal === null
      ? actOn(changePart(ui, 'answering', { reached: null }), approval, answer, state)
      : stepTo(held(ui, approval, { text: '', nowMs, refusal }))
  }
  // Escape interrupts the turn; a user without that right gives the answer that stops it.
  if (key === 'escape' && !maySend(ui.opened)) return actOn(ui, approval, 'stop', state)
  if (key !== 'up' && key !== 'down') return null
  if (!isReadable(ui.answering.guard, approval.id, nowMs)) return stepTo(ui)
  const answers = choicesFor(approval).map((choice) => choice.answer)
  const next = answers.at(stepFrom(answer === null ? null : answers.indexOf(answer), key) % answers.length)
  if (next === undefined) return stepTo(ui)
  return stepTo(changePart(ui, 'answering', { reached: { approvalId: approval.id, answer: next } }))
}

/** Adds the rule by Enter once it could be read, as by its letter again; an Enter that is held down adds nothing. */
function pressAtRule(ui: UiState, approval: Approval, key: string, { state, nowMs }: When): UiStep | null {
  if (key === 'up' || key === 'down') return stepTo(ui)
  if (key !== 'enter') return null
  const refusal = whyRefused(ui, approval, 'remember', nowMs)
  return refusal === null
    ? actOn(ui, approval, 'remember', state)
    : stepTo(held(ui, approval, { text: '', nowMs, refusal }))
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

/** Holds a letter as the answer and drops the highlight; look-ups keep it. */
function hold(ui: UiState, approval: Approval, pressed: Pressed): UiState {
  const answer = answerOnPage(ui, approval, pressed.text)
  const isKept = answer === 'print' || answer === 'why'
  return held(isKept ? ui : changePart(ui, 'answering', { reached: null }), approval, pressed)
}

function held(ui: UiState, { id }: Approval, { text, nowMs, refusal }: Pressed): UiState {
  return changePart(ui, 'answering', { heldKey: { text, written: text, atMs: nowMs, approvalId: id, refusal } })
}

/** Returns why a key is not accepted, to be shown on the screen; null if it is. */
function whyRefused(ui: UiState, approval: Approval, answer: KeyAnswer | null, nowMs: number): Refusal | null {
  if (answer === null) return 'noAnswer'
  if (onlyReads(ui.opened) && answer !== 'print' && answer !== 'why') return 'readOnly'
  if (!mayAnswer(ui.answering.guard, approval.id, nowMs)) return 'tooEarly'
  return refusesUnseen(ui.answering, approval, answer) ? 'unseen' : null
}

/** Returns why Enter is not accepted; the row stays highlighted for another try. */
function whyNotReached(answering: Answering, approval: Approval, answer: KeyAnswer, nowMs: number): Refusal | null {
  if (refusesUnseen(answering, approval, answer)) return 'unseen'
  return isYes(answer) && !isReadable(answering.guard, approval.id, nowMs) ? 'tooEarly' : null
}

function refusesUnseen({ guard }: Answering, { id }: Approval, answer: KeyAnswer): boolean {
  return isYes(answer) && !isWhollySeen(guard, id)
}

function isFree({ composing, connection, opened }: UiState): boolean {
  const isText = !isWritingOver(composing) && composing.purpose.kind === 'message'
  return isText && connection.link.kind === 'up' && opened !== null
}

/** Carries out the answer for the approval that was on the screen, so that no other one is answered. */
function actOn(ui: UiState, approval: Approval, answer: KeyAnswer, state: UiContext['state']): UiStep {
  switch (answer) {
    case 'print':
      return stepTo(
        addNotice(ui, { kind: 'approvalDetail', approval, enforcement: state?.core.settings.enforcement ?? 'none' }),
      )
    case 'why':
      return stepTo(ui, { kind: 'why', item: approval.itemId })
    case 'remember':
      if (isRemembering(ui.answering, approval)) return decide(ui, approval, 'approvedAlways')
      return stepTo(showRule(ui, approval))
    case 'note':
      if (isForm(approval.kind)) return decide(ui, approval, 'denied')
      return stepTo({
        ...ui,
        composing: { ...setMessageAside(ui.composing), purpose: { kind: 'note', approvalId: approval.id } },
      })
    default: {
      if (isForm(approval.kind) && answer === 'yes')
        return openForm({ ...ui, composing: setMessageAside(ui.composing) }, approval)
      const mode = modeToWorkIn(approval, answer)
      if (mode !== null) return decide(ui, approval, 'approved', { answers: planAnswers(mode) })
      const { decision, ...scope } = decisionFor(answer)
      return decide(ui, approval, decision, scope)
    }
  }
}

function showRule(ui: UiState, { id }: Approval): UiState {
  return changePart(ui, 'answering', { remembering: id, reached: null, guard: forgetPainted(ui.answering.guard) })
}

function decide(
  ui: UiState,
  approval: Approval,
  decision: ApprovalDecision,
  more: { readonly answers?: Answers; readonly scope?: 'any' } = {},
): UiStep {
  if (!offers(approval, decision)) return stepTo(ui)
  const answered = changePart(ui, 'answering', { answeredApproval: approval.id, remembering: null })
  return stepTo(answered, { kind: 'decide', approvalId: approval.id, decision, ...more })
}

/**
 * Releases the held key. Text before it takes effect makes it the first letter of a message; Escape, Ctrl+C and
 * Backspace take it back, Enter keeps it, any other key drops it. `isUsed`: the key had no other use.
 */
export function releaseHeld(ui: UiState, event: KeyEvent, { state, nowMs }: When): { ui: UiState; isUsed: boolean } {
  const { heldKey } = ui.answering
  if (heldKey === null) return { ui, isUsed: false }
  const free = changePart(ui, 'answering', { heldKey: null })
  const isChosen = heldKey.refusal === null
  if (isWriting(event)) {
    const belongs = isChosen || isFresh(heldKey, nowMs)
    if (!belongs) return { ui: free, isUsed: false }
    const written = changePart(free, 'composing', { composer: insert(ui.composing.composer, heldKey.written) })
    return { ui: setWriting(written, state, true), isUsed: false }
  }
  const key = event.kind === 'key' ? chord(event) : ''
  if (isChosen && (key === 'enter' || key === 'alt+enter')) return { ui, isUsed: true }
  return { ui: free, isUsed: isChosen && takesBack.has(key) }
}

const takesBack: ReadonlySet<string> = new Set(['escape', 'ctrl+c', 'backspace', 'shift+backspace', 'ctrl+h'])

function isWriting(event: KeyEvent): boolean {
  const kind = commandForKey(event)?.kind
  return kind === 'insert' || kind === 'paste' || kind === 'newline'
}
