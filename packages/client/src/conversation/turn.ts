import {
  type ApprovalId,
  type ApprovalRequest,
  answerAfter,
  answerOf,
  answerText,
  type ConversationEvent,
  type EventOf,
  type Item,
  type ItemId,
  type MessageId,
  type Picture,
  picturesOf,
  type TurnId,
} from '@parley/protocol'
import { ClientError } from '../connection/errors.ts'
import { type FollowedStream, followEvents, type LogPosition, leavable } from './follow-events.ts'
import type { LiveTail } from './live-tail.ts'

/** The end of a turn. A failed turn is a result too, with `failure`. */
export type TurnResult = Omit<EventOf<'turn.ended'>, 'type'> & {
  /** The model's last message; empty if the model sent no message. */
  readonly text: string
  /** Pictures of that message; `conversation.readFile` reads one. */
  readonly pictures: readonly Picture[]
}

/** The turn that answers a message. Each iteration gives its events from the first one and ends after `turn.ended`. */
export interface Turn extends AsyncIterable<ConversationEvent> {
  /** Id of the turn; null while the message is queued. */
  readonly id: TurnId | null
  /**
   * Settles with the turn, iterated or not. Rejects with `approvalNeeded` if no connected client can answer, with
   * `messageRemoved`, or with the reason of the connection's end.
   */
  readonly result: Promise<TurnResult>
}

export interface TurnSetup {
  readonly followed: FollowedStream
  readonly key: TurnKey
  readonly after: LogPosition
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

export function createTurn(parts: TurnSetup): Turn {
  let readers = 0
  const own = createTurnScope(parts.key)

  async function* eventsOfTurn(scope: TurnScope, followed: FollowedStream, tail?: LiveTail): Events {
    for await (const { event } of followEvents(followed, { after: parts.after, tail })) {
      for (const taken of scope.take(event)) {
        yield taken
        if (taken.type === 'turn.ended') return
      }
    }
  }

  async function* readByCaller(followed: FollowedStream): Events {
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

/** A turn, named by the message it answers, or by its id together with its items and approvals so far. */
type TurnKey =
  | { readonly messageId: MessageId }
  | { readonly turnId: TurnId; readonly begun?: readonly (ItemId | ApprovalId)[] }

/** A filter for the events of one turn; takes all events of the conversation in order. */
interface TurnScope {
  /** Id of the turn; null until the message has one. */
  readonly turnId: TurnId | null
  /** Returns the events that are known to belong to the turn now. Throws `messageRemoved`. */
  take(event: ConversationEvent): readonly ConversationEvent[]
}

function createTurnScope(key: TurnKey): TurnScope {
  let turnId = 'turnId' in key ? key.turnId : null
  let started: ConversationEvent | null = null
  /** Ids of its items and approvals. */
  const parts = new Set('turnId' in key ? key.begun : [])

  /** Finds the turn of a message. Holds `turn.started` back, because the message's item follows it. */
  function find(messageId: MessageId, event: ConversationEvent): readonly ConversationEvent[] {
    if (event.type === 'turn.started') started = event
    if (event.type === 'model.requested') started = null
    if (event.type === 'message.removed' && event.messageId === messageId)
      throw new ClientError('messageRemoved', 'The message was taken back before a turn began with it.')
    if (event.type !== 'item.completed' || event.item.type !== 'userMessage') return []
    if (event.item.messageId !== messageId || event.turnId === undefined) return []
    turnId = event.turnId
    return started === null ? [event] : [started, event]
  }

  function belongs(event: ConversationEvent): boolean {
    switch (event.type) {
      case 'item.delta':
      case 'item.progress':
      case 'execution.started':
      case 'execution.failed':
      case 'item.discarded':
        return parts.has(event.itemId)
      case 'approval.requested':
        return event.approval.turnId === turnId
      case 'approval.decided':
        return parts.has(event.approvalId)
      case 'plan.updated':
        return true
      default:
        return 'turnId' in event && event.turnId === turnId
    }
  }

  return {
    get turnId() {
      return turnId
    },
    take(event) {
      if (turnId === null) return 'messageId' in key ? find(key.messageId, event) : []
      if (!belongs(event)) return []
      if (event.type === 'item.started') parts.add(event.item.id)
      if (event.type === 'approval.requested') parts.add(event.approval.id)
      return [event]
    },
  }
}
