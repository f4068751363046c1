import type { Approval, ApprovalDecision } from '@parley/protocol'
import { mayAnswer, quietForMs } from './answer-guard.ts'
import { type Answer, answerForText, offers, pendingApprovals } from './approvals.ts'
import { insert } from './composer/composer.ts'
import { openForm } from './fill-form.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { stepTo, type UiContext, type UiStep } from './ui-action.ts'
import { type RefusedKey, say, type UiState } from './ui-state.ts'

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
  if (approval === undefined || event.kind !== 'text' || !isFree(ui)) return null
  const answer = answerForText(event.text, approval)
  if (answer === null) return null
  const why = whyRefused(ui, approval, answer, nowMs)
  if (why === null) return actOn(ui, approval, answer)
  return stepTo({ ...ui, refusedKey: { text: event.text, atMs: nowMs, approvalId: approval.id, why } })
}

/** A key that is not taken is said to be none, so that nobody waits for what it should have done. */
function whyRefused(ui: UiState, { id }: Approval, answer: Answer, nowMs: number): RefusedKey['why'] | null {
  if (ui.opened?.readOnly === true && answer !== 'print') return 'readOnly'
  return mayAnswer(ui.guard, id, nowMs) ? null : 'tooEarly'
}

/** A letter that did not count as an answer was the beginning of a word if another follows at once. */
export function releaseRefused(ui: UiState, event: KeyEvent, nowMs: number): UiState {
  if (ui.refusedKey === null) return ui
  const { text, atMs } = ui.refusedKey
  const isTyping = event.kind === 'text' && nowMs - atMs < quietForMs
  return { ...ui, refusedKey: null, composer: isTyping ? insert(ui.composer, text) : ui.composer }
}

function isFree({ composer, purpose, link, opened }: UiState): boolean {
  return composer.text === '' && purpose.kind === 'message' && link.kind === 'up' && opened !== null
}

/** The decision names the approval that was painted, so an answer can never reach another one. */
function actOn(ui: UiState, approval: Approval, answer: Answer): UiStep {
  switch (answer) {
    case 'print':
      return stepTo(say(ui, { kind: 'approvalDetail', approval }))
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
