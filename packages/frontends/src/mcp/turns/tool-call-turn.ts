import { randomUUID } from 'node:crypto'
import type { RequestId } from '@modelcontextprotocol/server'
import type { InputItem, MessageId, Picture, TurnId } from '@parley/protocol'
import type { AgentName } from '../../codex-events/elicitation.ts'
import type { EventMsg } from '../../codex-events/event-msg.ts'

export type TurnEnd =
  | { readonly kind: 'completed'; readonly text: string; readonly pictures: readonly Picture[] }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'interrupted' }

export interface ToolCallTurnOptions {
  /** Id of the `tools/call` request. */
  readonly requestId: RequestId
  readonly agent: AgentName
  readonly input: InputItem[]
  readonly messageId?: MessageId
  /** True when approvals wait for a client that streams the conversation, if this client can answer any. */
  readonly holdsApprovals: boolean
  /** Receives the messages of the turn, in order. */
  readonly onMessage?: (turnId: TurnId, message: EventMsg) => void
}

/** Message of a `tools/call` request and the turn that answers it. */
export class ToolCallTurn {
  readonly requestId: RequestId
  readonly agent: AgentName
  readonly input: InputItem[]
  readonly messageId: MessageId
  readonly holdsApprovals: boolean
  readonly onMessage: (turnId: TurnId, message: EventMsg) => void
  readonly ended: Promise<TurnEnd>
  /** Resolves with the turn's id when it starts, and with null when it never will. */
  readonly begun: Promise<string | null>
  readonly #end: (end: TurnEnd) => void
  readonly #begin: (turnId: TurnId | null) => void

  constructor({
    requestId,
    agent,
    input,
    messageId = randomUUID(),
    holdsApprovals,
    onMessage = () => undefined,
  }: ToolCallTurnOptions) {
    const ended = Promise.withResolvers<TurnEnd>()
    const begun = Promise.withResolvers<string | null>()
    this.requestId = requestId
    this.agent = agent
    this.input = input
    this.messageId = messageId
    this.holdsApprovals = holdsApprovals
    this.onMessage = onMessage
    this.ended = ended.promise
    this.begun = begun.promise
    this.#end = ended.resolve
    this.#begin = begun.resolve
  }

  begin(turnId: TurnId): void {
    this.#begin(turnId)
  }

  end(end: TurnEnd): void {
    this.#begin(null)
    this.#end(end)
  }
}
