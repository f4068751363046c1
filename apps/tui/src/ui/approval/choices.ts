import type { Approval, ApprovalDecision, ApprovalId, ConversationState } from '@parley/protocol'

/** Answer to an approval. `note` asks for a reason first, `print` only shows all of it. */
export type Answer = 'yes' | 'yesForConversation' | 'yesAlways' | 'note' | 'stop' | 'print'

const letters: Readonly<Record<string, Answer>> = { y: 'yes', n: 'note', v: 'print' }

/** Returns true for answers that allow the call. */
export function isYes(answer: Answer): boolean {
  return answer === 'yes' || answer === 'yesForConversation' || answer === 'yesAlways'
}

export interface Choice {
  readonly digit: number
  readonly answer: Exclude<Answer, 'print'>
}

/** Choices with fixed digits, so that a learned digit never comes to mean more. */
const callChoices: readonly Choice[] = [
  { digit: 1, answer: 'yes' },
  { digit: 2, answer: 'yesForConversation' },
  { digit: 3, answer: 'yesAlways' },
  { digit: 4, answer: 'note' },
  { digit: 5, answer: 'stop' },
]

const formChoices: readonly Choice[] = [
  { digit: 1, answer: 'yes' },
  { digit: 2, answer: 'note' },
  { digit: 3, answer: 'stop' },
]

/** Returns the choices in the order of their digits. */
export function choicesFor(approval: Approval): readonly Choice[] {
  if (approval.kind === 'elicitation') return formChoices
  return callChoices.filter(({ answer }) => {
    if (answer === 'yesForConversation') return offers(approval, 'approvedForSession')
    return answer !== 'yesAlways' || (offers(approval, 'approvedAlways') && approval.always !== undefined)
  })
}

export function answerForText(text: string, approval: Approval): Answer | null {
  if (Object.hasOwn(letters, text)) return letters[text] ?? null
  if (!/^[1-9]$/.test(text)) return null
  return choicesFor(approval).find(({ digit }) => digit === Number(text))?.answer ?? null
}

export function offers({ decisions }: Approval, decision: ApprovalDecision): boolean {
  return decisions.includes(decision)
}

/** Returns pending approvals, oldest first, without the one this window has just answered. */
export function pendingApprovals(
  state: ConversationState | null,
  ui: { readonly answeredApproval: ApprovalId | null },
): readonly Approval[] {
  if (state === null) return []
  return Object.values(state.core.approvals).filter(
    ({ id, state: stage }) => stage === 'pending' && id !== ui.answeredApproval,
  )
}

/** Returns calls approved before a crash that did not start; they run only when the user continues. */
export function approvedNotStarted(state: ConversationState | null): readonly Approval[] {
  if (state?.core.turn?.parked !== true) return []
  return Object.values(state.core.approvals).filter(({ state: stage }) => stage === 'approved')
}
