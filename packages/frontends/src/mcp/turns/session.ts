import type { RequestId, Server } from '@modelcontextprotocol/server'
import { type Client, type Connect, type Introduction, reachConversation } from '@parley/client/low-level'
import type { ConversationId, ParamsOf } from '@parley/protocol'
import type { CallersLimits } from '../../callers-limits.ts'
import { type EventMsg, isDelta } from '../../codex-events/event-msg.ts'
import { createElicitor, type Elicitor } from '../approvals/elicitor.ts'
import { ConversationStreams } from './event-streams.ts'
import { McpConversation } from './mcp-conversation.ts'

/** Limit of unread bytes, above which deltas are left out; their whole text follows at the end. */
const unreadLimitBytes = 1 << 20

export interface SessionOptions {
  readonly server: Server
  readonly connect: Connect
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly approvalTimeoutMs: number
  readonly limits: CallersLimits
  /** Returns the bytes that the client has not read yet. */
  readonly unreadBytes: () => number
  readonly report: (fault: unknown) => void
}

/** State of one MCP client: its open conversations, streams and requests. Everything else is in the engine. */
export class McpSession {
  readonly home: string
  readonly elicitor: Elicitor
  readonly streams: ConversationStreams
  readonly limits: CallersLimits
  readonly #options: SessionOptions
  readonly #conversations = new Map<ConversationId, Promise<McpConversation>>()
  /** Cancel functions of requests, kept after the answer while the turn runs. */
  readonly #cancels = new Map<RequestId, () => void>()
  #client: Promise<Client> | null = null

  constructor(options: SessionOptions) {
    this.#options = options
    this.home = options.home
    this.limits = options.limits
    this.elicitor = createElicitor(options.server, options.approvalTimeoutMs, options.limits)
    this.streams = new ConversationStreams({
      // Answers go over the connection of the conversation, so that each client counts once as able to answer.
      connect: () => options.connect({ ...this.#introduction(), canApprove: false }),
      elicitor: this.elicitor,
      notify: (method, params) => this.notify(method, params, null),
      isBehind: () => this.#isBehind,
    })
  }

  get isConnected(): boolean {
    return this.#options.server.transport !== undefined
  }

  /** Resolves to the connection of calls that are about no conversation yet. One that is lost is made anew. */
  client(): Promise<Client> {
    this.#client ??= this.#connect()
    return this.#client
  }

  #connect(): Promise<Client> {
    const connecting = this.#options.connect({
      ...this.#introduction(),
      callbacks: {
        // The name that Codex gives it.
        onLoginCompleted: ({ loginId, success, error }) =>
          this.notify('loginChatGptComplete', { loginId, success, error }, null),
      },
    })
    const forget = () => {
      if (this.#client === connecting) this.#client = null
    }
    connecting.then(({ closed }) => closed.then(forget), forget)
    return connecting
  }

  async create(
    params: ParamsOf<'conversation/create'>,
    by: RequestId,
  ): Promise<{ readonly conversation: McpConversation; readonly warnings: readonly string[] }> {
    this.limits.assertConfig(params.config)
    const client = await this.client()
    const { conversationId, warnings } = await client.request('conversation/create', params)
    return { conversation: await this.conversation(conversationId, by), warnings }
  }

  /** Returns true when this client has opened the conversation before, so that it has been introduced. */
  knows(conversationId: ConversationId): boolean {
    return this.#conversations.has(conversationId)
  }

  /** Opens a conversation for a call. Rejects when it does not exist, cannot be joined, or is above the ceiling. */
  async conversation(conversationId: ConversationId, by: RequestId): Promise<McpConversation> {
    const conversation = await (this.#conversations.get(conversationId) ?? this.#opening(conversationId, by))
    await this.limits.assertReachable(conversation.store.state.core)
    return conversation
  }

  #opening(conversationId: ConversationId, by: RequestId): Promise<McpConversation> {
    const opening = this.#open(conversationId, by)
    this.#conversations.set(conversationId, opening)
    opening.catch(() => this.#conversations.delete(conversationId))
    return opening
  }

  /** Sends a notification, on the stream of `requestId` if there is one. */
  notify(method: string, params: Record<string, unknown>, requestId: RequestId | null): void {
    const { server, report } = this.#options
    const options = requestId === null ? {} : { relatedRequestId: requestId }
    server.notification({ method, params }, options).catch((error: unknown) => {
      if (this.isConnected) report(error)
    })
  }

  /** Sends an event of a call's turn. */
  sendEvent(
    call: { readonly requestId: RequestId; readonly threadId: string; readonly eventId: string },
    msg: EventMsg,
  ): void {
    if (isDelta(msg) && this.#isBehind) return
    const { requestId, threadId, eventId: id } = call
    this.notify('codex/event', { _meta: { requestId, threadId }, id, msg }, requestId)
  }

  onCancel(requestId: RequestId, cancel: () => void): () => void {
    this.#cancels.set(requestId, cancel)
    return () => {
      if (this.#cancels.get(requestId) === cancel) this.#cancels.delete(requestId)
    }
  }

  cancel(requestId: RequestId): void {
    const cancel = this.#cancels.get(requestId)
    this.#cancels.delete(requestId)
    cancel?.()
  }

  /** Waits for the decisions of open approvals, then closes the client's connections. */
  async close(): Promise<void> {
    await this.elicitor.settled()
    this.streams.close()
    const conversations = await Promise.allSettled([...this.#conversations.values()])
    const clients = conversations.flatMap((conversation) =>
      conversation.status === 'fulfilled' ? [conversation.value.client] : [],
    )
    const own = await this.#client?.catch(() => null)
    await Promise.all([...new Set([...clients, ...(own == null ? [] : [own])])].map((client) => client.close()))
  }

  async #open(conversationId: ConversationId, by: RequestId): Promise<McpConversation> {
    const reached = await reachConversation(await this.client(), conversationId)
    const { conversationId: whole } = reached.store
    const conversation = new McpConversation(reached, by, this.elicitor)
    // The given id may be a prefix.
    if (!this.#conversations.has(whole)) this.#conversations.set(whole, Promise.resolve(conversation))
    // It may end in another process, or the user lose it; the next call looks for it again.
    void conversation.ended.then(() => {
      for (const name of [conversationId, whole]) this.#conversations.delete(name)
    })
    return conversation
  }

  get #isBehind(): boolean {
    return this.#options.unreadBytes() > unreadLimitBytes
  }

  #introduction(): Introduction {
    const { name = 'mcp-client', version = '0' } = this.#options.server.getClientVersion() ?? {}
    return { clientInfo: { name, version }, canApprove: this.elicitor.capable, mayLoosen: false }
  }
}
