import type { ConversationSummary, MethodName, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import { ConnectionClosed } from '@parley/rpc'
import type { Client } from './client.ts'
import { Conversation } from './conversation/conversation.ts'
import { openConversationStore } from './conversation-store.ts'
import { ClientError } from './errors.ts'
import { requestWhereItLives, resumeConversation } from './resume-conversation.ts'

export interface CreateOptions extends Omit<ParamsOf<'conversation/create'>, 'cwd'> {
  /** Absolute path of the folder to work in. Default: ours. */
  readonly cwd?: string
}

export interface ResumeOptions {
  /** What to change, such as the model or the approval policy. */
  readonly overrides?: Overrides
  /** A view of the log as it is now; nothing can be sent, and nothing new comes. */
  readonly readOnly?: boolean
}

/** A full id, a unique prefix or suffix of one, a name, or the one updated last (in a folder, when given). */
export type Which = string | { readonly last: true; readonly cwd?: string }

/** A connection to a server, and the conversations that were opened with it. */
export class Parley implements AsyncDisposable {
  readonly #client: Client
  readonly #closing = new AbortController()
  readonly #open = new Map<string, Conversation>()
  readonly #lost: Watched
  readonly #leave: () => Promise<void>

  constructor(client: Client, { explain, leave }: Ending) {
    this.#lost = watch(client, this.#closing.signal, explain)
    this.#client = this.#lost.client
    this.#leave = leave
  }

  /** What the server said of itself. */
  get server(): ResultOf<'initialize'> {
    return this.#client.server
  }

  /** Resolves when the connection is gone: with why, or null when we closed it. There is no reconnect behind your back. */
  get closed(): Promise<ClientError | null> {
    return this.#lost.closed
  }

  async create({ cwd = process.cwd(), ...options }: CreateOptions = {}): Promise<Conversation> {
    return this.#follow(await this.#client.request('conversation/create', { ...options, cwd }))
  }

  /** Opens a conversation; one that is live in another process is joined there. */
  async resume(which: Which, { overrides, readOnly }: ResumeOptions = {}): Promise<Conversation> {
    const { client, summary, attached } = await resumeConversation(this.#client, {
      ...(typeof which === 'string' ? { prefix: which } : which),
      ...(overrides === undefined ? {} : { overrides }),
      ...(readOnly === undefined ? {} : { readOnly }),
    })
    return attached ? await this.#join(client, summary) : await this.#follow(summary)
  }

  /** A new conversation with the events of another one up to `at`, which is left as it is. */
  async fork(conversationId: string, at?: number): Promise<Conversation> {
    const params = { conversationId, ...(at === undefined ? {} : { at }) }
    return this.#follow(await this.#client.request('conversation/fork', params))
  }

  list(params: ParamsOf<'conversation/list'> = {}): Promise<ResultOf<'conversation/list'>> {
    return this.#client.request('conversation/list', params)
  }

  /** Any request of the protocol. One about a conversation that is live elsewhere is answered there. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>> {
    return requestWhereItLives(this.#client, method, params)
  }

  /** Closes what is open, and lets a server of our own save and leave. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([...this.#open.values()].map((conversation) => conversation.close()))
    await this.#client.close()
    await this.#leave()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** A connection has one stream of a conversation, so there is one follower too. */
  async #follow(summary: ConversationSummary): Promise<Conversation> {
    const { conversationId } = summary
    const known = this.#open.get(conversationId)
    if (known !== undefined) return known
    const forget = async () => void this.#open.delete(conversationId)
    const parts = { client: this.#client, lost: this.#lost.signal, attached: false, leave: forget }
    return this.#keep(await openConversation(summary, parts))
  }

  async #join(client: Client, summary: ConversationSummary): Promise<Conversation> {
    const closing = new AbortController()
    const watched = watch(client, closing.signal, async () => hungUp())
    const leave = async () => {
      closing.abort()
      this.#open.delete(summary.conversationId)
      await client.close()
    }
    try {
      const parts = { client: watched.client, lost: watched.signal, attached: true, leave }
      return this.#keep(await openConversation(summary, parts))
    } catch (error) {
      await leave()
      throw error
    }
  }

  #keep(conversation: Conversation): Conversation {
    this.#open.set(conversation.id, conversation)
    return conversation
  }
}

async function openConversation(
  summary: ConversationSummary,
  parts: Omit<ConstructorParameters<typeof Conversation>[0], 'summary' | 'store'>,
): Promise<Conversation> {
  const store = await openConversationStore(parts.client, summary.conversationId)
  return new Conversation({ ...parts, summary, store })
}

export interface Ending {
  /** Why the connection went down though nobody here closed it. */
  explain(): Promise<ClientError>
  leave(): Promise<void>
}

interface Watched {
  /** Its requests fail with why the connection went down, not only that it did. */
  readonly client: Client
  readonly signal: AbortSignal
  readonly closed: Promise<ClientError | null>
}

function watch(client: Client, closing: AbortSignal, explain: () => Promise<ClientError>): Watched {
  const lost = new AbortController()
  const closed = client.closed.then(async () => {
    const reason = closing.aborted ? closedHere() : await explain()
    lost.abort(reason)
    return closing.aborted ? null : reason
  })
  const request: Client['request'] = async (method, params) => {
    try {
      return await client.request(method, params)
    } catch (error) {
      throw error instanceof ConnectionClosed ? ((await closed) ?? closedHere()) : error
    }
  }
  return { client: { ...client, request }, signal: lost.signal, closed }
}

function closedHere(): ClientError {
  return new ClientError('closed', 'The connection was closed here.')
}

function hungUp(): ClientError {
  return new ClientError(
    'connectionClosed',
    'The process that has the conversation open is gone. Nothing shown is lost: resume it.',
  )
}
