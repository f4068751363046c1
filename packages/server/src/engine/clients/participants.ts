import type { Actor, ApprovalDecision, ApprovalId, ClientId } from '@parley/protocol'

interface Answer {
  readonly by: Actor
  readonly decision: ApprovalDecision
}

/** Clients that take part in an open conversation, and their newest answers. */
export interface Participants {
  /** Connections that opened or follow the conversation and have not left. */
  readonly guests: Set<object>
  /** clientIds of followers that can answer an approval. */
  readonly watchers: Set<ClientId>
  /** Functions that end the delivery of events, one per follower. */
  readonly streams: Set<() => void>
  /** Set when running work continues after the last client of the server has left. */
  detached: boolean
  /** Remembers an answer, so that a client that answers later learns which answer was first. */
  answered(approvalId: ApprovalId, answer: Answer): void
  answerTo(approvalId: ApprovalId): Answer | undefined
}

const keptAnswers = 100

export function createParticipants(): Participants {
  const answers = new Map<ApprovalId, Answer>()
  return {
    guests: new Set(),
    watchers: new Set(),
    streams: new Set(),
    detached: false,
    answered(approvalId, answer) {
      answers.set(approvalId, answer)
      const [oldest] = answers.keys()
      if (answers.size > keptAnswers && oldest !== undefined) answers.delete(oldest)
    },
    answerTo: (approvalId) => answers.get(approvalId),
  }
}
