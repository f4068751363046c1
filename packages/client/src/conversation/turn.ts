import type { ApprovalRequest, ConversationEvent, EventOf } from '@parley/protocol'
import { ClientError } from '../connection/errors.ts'
import { type Followed, followEvents, leavable, type Place } from './follow-events.ts'
import { createTurnScope, type TurnKey, type TurnScope } from './turn-scope.ts'

/** How a turn ended. A turn that failed is a result too: `failure` says why. */
export type TurnResult = Omit<EventOf<'turn.ended'>, 'type'> & {
  /** The model's last message; empty when it said nothing. */
  readonly text: string
}

/**
 * The turn that a message is answered in. Iterating gives its events in order and ends after `turn.ended`; each
 * iteration begins at the first one.
 */
export interface Turn extends AsyncIterable<ConversationEvent> {
  /** Null while the message waits for its turn. */
  readonly id: string | null
  /**
   * Settles with the turn, iterated or not. Rejects with `approvalNeeded` when it waits for an answer that nobody
   * connected will give, with `messageRemoved`, or with what took the connection down.
   */
  readonly result: Promise<TurnResult>
}

export interface TurnParts extends Followed {
  readonly key: TurnKey
  readonly after: Place
  /** What it has said before `after`. */
  readonly saidBefore?: string
  /** Whether somebody who is connected may answer what is asked now. */
  readonly isAnswerable: (approval: ApprovalRequest) => boolean
  /** What waited for an answer before `after`, unless somebody who is connected may still give it. */
  readonly unanswered?: () => Promise<ApprovalRequest | null>
}

type Events = AsyncGenerator<ConversationEvent, void, undefined>

export function createTurn(parts: TurnParts): Turn {
  let readers = 0
  const own = createTurnScope(parts.key)

  async function* eventsOfTurn(scope: TurnScope, followed: Followed): Events {
    for await (const { event } of followEvents(followed, { after: parts.after })) {
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

  /** Who iterates may answer in the loop; nobody else would notice that an answer is missing. */
  function assertAnswerable(event: ConversationEvent): void {
    if (event.type !== 'approval.requested' || readers > 0 || parts.isAnswerable(event.approval)) return
    throw approvalNeeded(event.approval)
  }

  async function toEnd(): Promise<TurnResult> {
    let text = parts.saidBefore ?? ''
    const waiting = (await parts.unanswered?.()) ?? null
    if (waiting !== null && readers === 0) throw approvalNeeded(waiting)
    for await (const event of eventsOfTurn(own, parts)) {
      assertAnswerable(event)
      if (event.type === 'item.completed' && event.item.type === 'agentMessage') text = event.item.text
      if (event.type !== 'turn.ended') continue
      const { type: _, ...ended } = event
      return { ...ended, text }
    }
    // We closed the conversation.
    throw parts.ended.reason
  }

  const result = toEnd()
  // Whoever only iterates learns of a failure there.
  result.catch(() => undefined)
  return {
    get id() {
      return own.turnId
    },
    result,
    [Symbol.asyncIterator]: () => leavable(parts, readByCaller),
  }
}

function approvalNeeded({ title, reason }: ApprovalRequest): ClientError {
  const what = `The turn waits for an answer: ${title} (${reason}).`
  const next = 'Answer with conversation.onApproval(…) before you send, or let a rule allow it.'
  return new ClientError('approvalNeeded', `${what} ${next}`)
}
