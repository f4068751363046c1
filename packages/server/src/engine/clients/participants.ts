import type { Actor, ApprovalDecision } from '@parley/protocol'

interface Answer {
  readonly by: Actor
  readonly decision: ApprovalDecision
}

/** Who takes part in an open conversation, and what becomes of it without them. */
export interface Presence {
  /** Connections that opened or follow it and have not left. */
  readonly guests: Set<object>
  /** What runs goes on although the last client of the server has left. */
  detached: boolean
  /** The newest answers of clients, so that one who comes too late learns who was first. */
  answered(approvalId: string, answer: Answer): void
  answerTo(approvalId: string): Answer | undefined
}

const keptAnswers = 100

export function createPresence(): Presence {
  const answers = new Map<string, Answer>()
  return {
    guests: new Set(),
    detached: false,
    answered(approvalId, answer) {
      answers.set(approvalId, answer)
      const [oldest] = answers.keys()
      if (answers.size > keptAnswers && oldest !== undefined) answers.delete(oldest)
    },
    answerTo: (approvalId) => answers.get(approvalId),
  }
}
