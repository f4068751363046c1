import type { Approval, ApprovalDecision, ConversationState } from '@parley/protocol'
import type { UiState } from './ui-state.ts'

/** What a key says to an approval. `note` asks for words first, `print` only shows all of it. */
export type Answer = 'yes' | 'yesForConversation' | 'note' | 'stop' | 'print'

/** Digits keep their meaning when an answer is not offered, so that a habit never answers something else. */
const answers: Readonly<Record<string, Answer>> = {
  '1': 'yes',
  y: 'yes',
  '2': 'yesForConversation',
  '3': 'note',
  n: 'note',
  '4': 'stop',
  v: 'print',
}

export function answerForText(text: string): Answer | null {
  return Object.hasOwn(answers, text) ? (answers[text] ?? null) : null
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
