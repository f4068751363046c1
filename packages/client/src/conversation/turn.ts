import {
  type ApprovalRequest,
  answerAfter,
  answerOf,
  answerText,
  type ConversationEvent,
  type EventOf,
  type Item,
  type Picture,
  picturesOf,
  type TurnId,
} from '@parley/protocol'
import { ClientError } from '../connection/errors.ts'
import { type Followed, followEvents, leavable, type Place } from './follow-events.ts'
import type { LiveTail } from './live-tail.ts'
import { createTurnScope, type TurnKey, type TurnScope } from './turn-scope.ts'

/** The end of a turn. A failed turn is a result too, with `failure`. */
export type TurnResult = Omit<EventOf<'turn.ended'>, 'type'> & {
  /** The model's last message; empty if there was none. */
  readonly text: string
  /** Pictures that are part of it; `conversation.readFile` reads one. */
  readonly pictures: readonly Picture[]
}

/**
 * The turn that a message is answered in. Iterating gives its events in order and ends after `turn.ended`; each
 * iteration begins at the first one.
 */
export interface Turn extends AsyncIterable<ConversationEvent> {
  /** Id of the turn; null while the message is queued. */
  readonly id: TurnId | null
  /**
   * Settles with the turn, iterated or not. Rejects with `approvalNeeded` if no connected client can answer, with
   * `messageRemoved`, or with the reason of the connection's end.
   */
  readonly result: Promise<TurnResult>
}

export interface TurnParts {
  readonly followed: Followed
  readonly key: TurnKey
  readonly after: Place
  /** Tail with every event after `after`, which the turn closes; saves reading them from the log. */
  readonly tail?: LiveTail
  /** Items of the turn before `after`. */
  readonly before?: readonly Item[]
  /** Returns true if a connected client can answer the approval. */
  readonly isAnswerable: (approval: ApprovalRequest) => boolean
  /** Resolves to an approval requested before `after` that no connected client can answer, or null. */
  readonly unanswered?: () => Promise<ApprovalRequest | null>
}

type Events = AsyncGenerator<ConversationEvent, void, undefined>

export function createTurn(parts: TurnParts): Turn {
  let readers = 0
  const own = createTurnScope(parts.key)

  async function* eventsOfTurn(scope: TurnScope, followed: Followed, tail?: LiveTail): Events {
    for await (const { event } of followEvents(followed, { after: parts.after, tail })) {
      for (const taken of scope.take(event)) {
        yield taken
        if (taken.type === 'turn.ended') return
      }
    }
  }

  async function* readByCaller(followed: Followed): Events {
    readers++
    try {
      yield* eventsOfTurn(createTurnScope(parts.key), followed)
    } finally {
      readers--
    }
  }

  /** Throws `approvalNeeded` if no client can answer. A caller that iterates may answer in its loop. */
  function assertAnswerable(event: ConversationEvent): void {
    if (event.type !== 'approval.requested' || readers > 0 || parts.isAnswerable(event.approval)) return
    throw approvalNeeded(event.approval)
  }

  async function toEnd(): Promise<TurnResult> {
    const { before = [] } = parts
    let answer = answerOf(before)
    const waiting = (await parts.unanswered?.()) ?? null
    if (waiting !== null && readers === 0) throw approvalNeeded(waiting)
    for await (const event of eventsOfTurn(own, parts.followed, parts.tail)) {
      assertAnswerable(event)
      if (event.type === 'item.completed' && event.item.type === 'agentMessage')
        answer = answerAfter(answer, event.item)
      if (event.type !== 'turn.ended') continue
      const { type: _, ...ended } = event
      return { ...ended, text: answerText(answer) ?? '', pictures: picturesOf(answer) }
    }
    // The iteration ends without `turn.ended` only when the conversation was closed here.
    throw parts.followed.ended.reason
  }

  const result = toEnd()
  // A caller that only iterates gets the failure there; the result must not count as unhandled.
  result.catch(() => undefined)
  return {
    get id() {
      return own.turnId
    },
    result,
    [Symbol.asyncIterator]: () => leavable(parts.followed, readByCaller),
  }
}

function approvalNeeded({ title, reason }: ApprovalRequest): ClientError {
  const what = `The turn waits for an answer: ${title} (${reason}).`
  const next = 'Answer with conversation.onApproval(…) before you send, or let a rule allow it.'
  return new ClientError('approvalNeeded', `${what} ${next}`)
}
