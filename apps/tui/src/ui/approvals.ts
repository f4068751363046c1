import type { Approval, ApprovalDecision, ConversationState } from '@parley/protocol'
import type { UiState } from './ui-state.ts'

/** What a key says to an approval. `note` asks for words first, `print` only shows all of it. */
export type Answer = 'yes' | 'yesForConversation' | 'note' | 'stop' | 'print'

const letters: Readonly<Record<string, Answer>> = { y: 'yes', n: 'note', v: 'print' }

/** The answers to choose from, in the order of their digits from 1 on. Whichever are offered, 1 is the first yes. */
export function choicesFor(approval: Approval): readonly Exclude<Answer, 'print'>[] {
  const isForConversation = approval.kind !== 'elicitation' && offers(approval, 'approvedForSession')
  return isForConversation ? ['yes', 'yesForConversation', 'note', 'stop'] : ['yes', 'note', 'stop']
}

export function answerForText(text: string, approval: Approval): Answer | null {
  if (Object.hasOwn(letters, text)) return letters[text] ?? null
  return /^[1-9]$/.test(text) ? (choicesFor(approval)[Number(text) - 1] ?? null) : null
}

export function offers({ decisions }: Approval, decision: ApprovalDecision): boolean {
  return decisions.includes(decision)
}

/** Approvals that wait for an answer, oldest first, without the one that this window has just answered. */
export function pendingApprovals(
  state: ConversationState | null,
  ui: Pick<UiState, 'answeredApproval'>,
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
