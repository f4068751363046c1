import type { RequestId } from '@modelcontextprotocol/server'
import type { Client, ConversationStore, ReachedConversation } from '@parley/client/low-level'
import {
  answerText,
  type ConversationId,
  type Envelope,
  type EventOf,
  type Item,
  type MessageId,
  picturesOf,
  type TurnId,
  unansweredApprovals,
} from '@parley/protocol'
import type { EventMsg } from '../../codex-events/event-msg.ts'
import { itemMessages } from '../../codex-events/item-messages.ts'
import { type Memory, memoryOf } from '../../codex-events/memory.ts'
import { translate } from '../../codex-events/translate.ts'
import type { Elicitor } from '../approvals/elicitor.ts'
import type { ToolCallTurn, TurnEnd } from './tool-call-turn.ts'

/**
 * Running turn with the request that owns it. The owner is null until the turn's first message is known, or if no
 * request here owns it.
 */
interface RunningTurn {
  readonly turnId: TurnId
  owner: ToolCallTurn | null
  /** Messages from before the owner was known. */
  readonly early: EventMsg[]
}

/** Conversation of one MCP client: its connection, its messages, and the requests that own their turns. */
export class McpConversation {
  readonly client: Client
  readonly store: ConversationStore
  /** Call that created or reached the conversation for this client. */
  readonly openedBy: RequestId
  /** Resolved once the client gets no more events: its connection or its access has ended. */
  readonly ended: Promise<void>
  readonly #elicitor: Elicitor
  readonly #turns = new Map<MessageId, ToolCallTurn>()
  #memory: Memory
  #running: RunningTurn | null = null

  constructor({ client, store }: ReachedConversation, openedBy: RequestId, elicitor: Elicitor) {
    this.client = client
    this.store = store
    this.openedBy = openedBy
    this.#elicitor = elicitor
    this.#memory = memoryOf(store.state)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    const end = (message: string) => {
      for (const stop of listening) stop()
      // Nothing is left to tell a server that has ended it.
      store.close().catch(() => undefined)
      this.#failAll(message)
      resolve()
    }
    const listening = [
      store.subscribe((envelope) => (envelope === null ? this.#stateReplaced() : this.#take(envelope))),
      client.onAccessEnded(store.conversationId, end),
    ]
    void client.closed.then(() => end(processEnded))
  }

  get conversationId(): ConversationId {
    return this.store.conversationId
  }

  /** Sends the request's message, which is queued while another turn runs. */
  async send(turn: ToolCallTurn): Promise<void> {
    const { messageId, input } = turn
    const { conversationId } = this
    // A message id that was sent before starts no turn.
    if (!this.store.state.core.requestKeys.some(({ key }) => key === messageId)) this.#turns.set(messageId, turn)
    try {
      await this.client.request('conversation/sendMessage', { conversationId, input, messageId, when: 'queue' })
    } catch (error) {
      this.#turns.delete(messageId)
      throw error
    }
  }

  /**
   * Removes everything that a message would wait behind for ever: continues a parked turn, and asks the client about
   * pending approvals of its own turns. Turns of others are left alone.
   */
  async resolveWaiting(turn: ToolCallTurn): Promise<void> {
    const { core } = this.store.state
    const isParked = core.turn?.parked === true
    if (!isParked && (this.#running?.owner ?? null) === null) return
    const pending = unansweredApprovals(core)
    for (const approval of pending) this.#ask(approval, core.open[approval.itemId]?.item ?? null, turn)
    if (!isParked || pending.length > 0) return
    // A limit is raised by a person only.
    if (core.turn?.limit !== undefined)
      return void (await this.client.request('conversation/interrupt', {
        conversationId: this.conversationId,
        turnId: core.turn.id,
      }))
    await this.client.request('conversation/continue', { conversationId: this.conversationId })
  }

  /** Removes the request's message from the inbox, or interrupts its turn. */
  async stop(turn: ToolCallTurn): Promise<void> {
    const { conversationId } = this
    const { messageId } = turn
    const isTakenBack = await this.client.request('conversation/inbox/remove', { conversationId, messageId }).then(
      () => true,
      () => false,
    )
    if (isTakenBack) return this.#finish(turn, { kind: 'interrupted' })
    const turnId = await turn.begun
    if (turnId === null) return
    // Rejected when another turn runs by now; this one has ended.
    await this.client.request('conversation/interrupt', { conversationId, turnId }).catch(() => undefined)
  }

  #take(envelope: Envelope): void {
    const { event } = envelope
    const item = this.#itemAskedAbout(event)
    const before = this.#memory
    const { memory, messages } = translate(before, envelope)
    this.#memory = memory
    if (event.type === 'turn.started') this.#running = { turnId: event.turnId, owner: null, early: [] }
    if (event.type === 'item.completed') this.#findOwner(event)
    const turnId = this.#running?.turnId
    const ofItems = turnId === undefined ? [] : itemMessages(before, envelope, turnId)
    for (const message of [...ofItems, ...messages]) this.#deliver(message)
    this.#elicitor.note(envelope)
    if (event.type === 'approval.requested') this.#asked(event, item)
    if (event.type === 'turn.ended') this.#endTurn(event)
    this.#continueInbox()
  }

  #itemAskedAbout(event: Envelope['event']): Item | null {
    return event.type === 'approval.requested'
      ? (this.store.state.core.open[event.approval.itemId]?.item ?? null)
      : null
  }

  /** Finds the owner of the running turn by the turn's first message. */
  #findOwner({ item }: EventOf<'item.completed'>): void {
    const running = this.#running
    if (running === null || running.owner !== null || item.type !== 'userMessage') return
    const turn = item.messageId === undefined ? undefined : this.#turns.get(item.messageId)
    if (turn === undefined) return
    running.owner = turn
    turn.begin(running.turnId)
    for (const message of running.early.splice(0)) turn.onMessage(running.turnId, message)
  }

  #deliver(message: EventMsg): void {
    const running = this.#running
    if (running === null) return
    if (running.owner !== null) running.owner.onMessage(running.turnId, message)
    else if (running.early.length === 0) running.early.push(message)
  }

  #asked({ approval }: EventOf<'approval.requested'>, item: Item | null): void {
    const turn = this.#running?.owner ?? null
    if (turn === null) return
    const isAwaited = [...this.#turns.values()].some(({ holdsApprovals }) => !holdsApprovals)
    if (turn.holdsApprovals && this.#elicitor.capable && !isAwaited) return
    this.#ask(approval, item, turn)
  }

  #ask(approval: EventOf<'approval.requested'>['approval'], item: Item | null, turn: ToolCallTurn) {
    this.#elicitor.ask({
      conversationId: this.conversationId,
      approval,
      item,
      settings: this.store.state.core.settings,
      // Calls that are answered at once ask in the name of the one that opened the conversation.
      callId: turn.holdsApprovals ? this.openedBy : turn.requestId,
      agent: turn.agent,
      withCall: !turn.holdsApprovals,
      client: this.client,
      whenGone: 'deny',
    })
  }

  #endTurn({ turnId, outcome, failure }: EventOf<'turn.ended'>): void {
    const running = this.#running
    if (running?.turnId !== turnId) return
    this.#running = null
    if (running.owner === null) return
    if (outcome === 'interrupted') this.#finish(running.owner, { kind: 'interrupted' })
    else if (outcome === 'completed') {
      const { answer } = this.#memory
      this.#finish(running.owner, { kind: 'completed', text: answerText(answer) ?? '', pictures: picturesOf(answer) })
    } else this.#finish(running.owner, { kind: 'failed', message: failure?.message ?? 'The turn failed.' })
  }

  #finish(turn: ToolCallTurn, end: TurnEnd): void {
    this.#turns.delete(turn.messageId)
    turn.end(end)
  }

  /**
   * Continues a paused inbox that holds messages of this client. An interrupt or a failure pauses it, but has not
   * cancelled them.
   */
  #continueInbox(): void {
    const { turn, inbox, inboxPaused } = this.store.state.core
    if (turn !== null || !inboxPaused || !inbox.some(({ messageId }) => this.#turns.has(messageId))) return
    const { conversationId } = this
    // Rejected when a turn runs already.
    this.client.request('conversation/continue', { conversationId }).catch(() => undefined)
  }

  /** Handles a replaced state, after events that were not received. */
  #stateReplaced(): void {
    const { core } = this.store.state
    this.#memory = memoryOf(this.store.state)
    const running = this.#running
    if (running === null || core.turn?.id === running.turnId) return
    this.#endTurn({
      type: 'turn.ended',
      turnId: running.turnId,
      outcome: core.lastTurn?.id === running.turnId ? core.lastTurn.outcome : 'interrupted',
      usage: core.usage.total,
      denials: [],
    })
  }

  #failAll(message: string): void {
    for (const turn of [...this.#turns.values()]) this.#finish(turn, { kind: 'failed', message })
  }
}

const processEnded =
  'The process that had the conversation open has ended. Everything up to then is saved; send it again.'
