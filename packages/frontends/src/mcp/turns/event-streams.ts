import type { RequestId } from '@modelcontextprotocol/server'
import { type Client, reachConversation } from '@parley/client/low-level'
import { type ConversationId, type Envelope, type Item, unansweredApprovals } from '@parley/protocol'
import { type EventMsg, isDelta, isStreamed, shortened } from '../../codex-events/event-msg.ts'
import { emptyMemory, entryOf, type Memory } from '../../codex-events/memory.ts'
import { translate } from '../../codex-events/translate.ts'
import type { AskedApproval } from '../approvals/asked-approval.ts'
import type { Elicitor } from '../approvals/elicitor.ts'
import type { McpConversation } from './mcp-conversation.ts'

interface StreamsOptions {
  readonly connect: () => Promise<Client>
  readonly elicitor: Elicitor
  readonly notify: (method: string, params: Record<string, unknown>) => void
  /** Returns true while the client has much to read, so that deltas are left out. */
  readonly isBehind: () => boolean
}

/** Conversations that one MCP client streams, each on its own connection to the engine. */
export class ConversationStreams {
  readonly #options: StreamsOptions
  /** Streams by request; a newer stream of the same conversation replaces the older one. */
  readonly #active = new Map<RequestId, { readonly conversationId: ConversationId; readonly stop: () => void }>()

  constructor(options: StreamsOptions) {
    this.#options = options
  }

  /** Opens a stream that begins after the answer to its request. */
  async prepare(conversation: McpConversation, requestId: RequestId): Promise<{ begin(): void; stop(): void }> {
    const { conversationId } = conversation
    const { client } = await reachConversation(await this.#options.connect(), conversationId)
    let stopped = false
    const stop = () => {
      stopped = true
      void client.close()
    }
    return {
      begin: () => {
        if (!stopped) this.#begin(conversation, client, requestId)
      },
      stop: () => {
        stop()
        this.#stop(requestId)
      },
    }
  }

  close(): void {
    for (const { stop } of [...this.#active.values()]) stop()
    this.#active.clear()
  }

  #begin(conversation: McpConversation, client: Client, requestId: RequestId): void {
    const { conversationId } = conversation
    const { core } = conversation.store.state
    const pending = unansweredApprovals(core)
    for (const [id, active] of this.#active) if (active.conversationId === conversationId) this.#stop(id)
    const stop = streamEvents({
      client,
      conversationId,
      upToSeq: core.seq,
      sink: {
        initialState: (events) => {
          this.#options.notify('notifications/initial_state', { _meta: { conversationId }, initial_state: { events } })
          for (const approval of pending) this.#ask(conversation, approval, core.open[approval.itemId]?.item ?? null)
        },
        live: (message) => this.#live(conversationId, message),
        event: (envelope, item) => this.#follow(conversation, envelope, item),
      },
    })
    this.#active.set(requestId, { conversationId, stop })
  }

  #stop(requestId: RequestId): void {
    this.#active.get(requestId)?.stop()
    this.#active.delete(requestId)
  }

  /** Sends a live message, with its conversation's id when several conversations are streamed. */
  #live(conversationId: ConversationId, msg: EventMsg): void {
    if (isDelta(msg) && this.#options.isBehind()) return
    const ids = new Set([...this.#active.values()].map((active) => active.conversationId))
    this.#options.notify(msg.type, { ...(ids.size > 1 ? { _meta: { conversationId } } : {}), msg })
  }

  #follow(conversation: McpConversation, envelope: Envelope, item: Item | null): void {
    const { event } = envelope
    if (event.type === 'approval.requested') this.#ask(conversation, event.approval, item)
    this.#options.elicitor.note(envelope)
  }

  #ask(conversation: McpConversation, approval: AskedApproval['approval'], item: Item | null): void {
    const { elicitor } = this.#options
    if (!elicitor.capable) return
    elicitor.ask({
      conversationId: conversation.conversationId,
      approval,
      item,
      settings: conversation.store.state.core.settings,
      callId: conversation.openedBy,
      agent: 'Codex',
      withCall: false,
      client: conversation.client,
      whenGone: 'wait',
    })
  }
}

interface StreamSink {
  /** Receives all events before the call, once. */
  initialState(events: readonly { readonly msg: EventMsg }[]): void
  live(message: EventMsg): void
  /** Receives an event, and the item that an approval is about. */
  event(envelope: Envelope, item: Item | null): void
}

interface StreamOptions {
  /** Connection of the stream's own, closed with the stream. */
  readonly client: Client
  readonly conversationId: ConversationId
  /** Number of the last event of the initial state. */
  readonly upToSeq: number
  readonly sink: StreamSink
}

/** Characters of the initial state, above which long texts are shortened, since clients give up on lines of 10 MB. */
const wholeLength = 4 << 20

/**
 * Plays the log from its first event. Events up to `upToSeq` are the initial state and later ones are live, so that
 * each is delivered once and in order. Returns the function that ends delivery at once.
 */
export function streamEvents({ client, conversationId, upToSeq, sink }: StreamOptions): () => void {
  const before: { readonly msg: EventMsg }[] = []
  let beforeLength = 0
  let memory: Memory = emptyMemory
  let isLive = false
  let stopped = false

  function goLive(): void {
    isLive = true
    sink.initialState(before.splice(0))
  }

  function keep(message: EventMsg): void {
    const msg = beforeLength > wholeLength ? shortened(message) : message
    beforeLength += JSON.stringify(msg).length
    before.push({ msg })
  }

  function itemOf({ event }: Envelope): Item | null {
    return event.type === 'approval.requested' ? (entryOf(memory, event.approval.itemId)?.item ?? null) : null
  }

  function take(envelope: Envelope): void {
    if (stopped) return
    // In a damaged log the number `upToSeq` may be missing.
    if (!isLive && envelope.seq > upToSeq) goLive()
    const { memory: next, messages } = translate(memory, envelope)
    memory = next
    for (const message of messages.filter(isStreamed)) {
      if (isLive) sink.live(message)
      else if (!isDelta(message)) keep(message)
    }
    if (isLive) sink.event(envelope, itemOf(envelope))
    else if (envelope.seq === upToSeq) goLive()
  }

  client.onEvent(conversationId, take)
  if (upToSeq === 0) goLive()
  const played = client.request('conversation/stream', { conversationId, after: { seq: 0, crc: null } })
  // The connection has closed, which ends the stream.
  played.catch(() => undefined)
  return () => {
    stopped = true
    void client.close()
  }
}
