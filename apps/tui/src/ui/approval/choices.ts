import type { Approval, ApprovalDecision, ConversationState } from '@parley/protocol'

/** What a key says to an approval. `note` asks for words first, `print` only shows all of it. */
export type Answer = 'yes' | 'yesForConversation' | 'yesAlways' | 'note' | 'stop' | 'print'

const letters: Readonly<Record<string, Answer>> = { y: 'yes', n: 'note', v: 'print' }

/** Whether the answer lets happen what is asked about. */
export function isYes(answer: Answer): boolean {
  return answer === 'yes' || answer === 'yesForConversation' || answer === 'yesAlways'
}

export interface Choice {
  readonly digit: number
  readonly answer: Exclude<Answer, 'print'>
}

/** Each answer keeps its digit whether others are offered or not, so that what fingers know never means more than it did. */
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

/** The answers to choose from, in the order of their digits. */
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

/** Approvals that wait for an answer, oldest first, without the one that this window has just answered. */
export function pendingApprovals(
  state: ConversationState | null,
  ui: { readonly answeredApproval: string | null },
): readonly Approval[] {
  if (state === null) return []
  return Object.values(state.core.approvals).filter(
    ({ id, state: stage }) => stage === 'pending' && id !== ui.answeredApproval,
  )
}

/** Calls that were approved before a crash and did not begin; nothing runs them until the user says so. */
export function approvedNotStarted(state: ConversationState | null): readonly Approval[] {
  if (state?.core.turn?.parked !== true) return []
  return Object.values(state.core.approvals).filter(({ state: stage }) => stage === 'approved')
}
