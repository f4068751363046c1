import type { ConversationSummary, MethodName, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import type { Client } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { requestWhereItLives, resumeConversation } from './connection/resume-conversation.ts'
import { type Watched, watchConnection } from './connection/watch-connection.ts'
import { Conversation } from './conversation/conversation.ts'
import { openConversationStore } from './conversation/conversation-store.ts'
import type { Leaving } from './server/leave-server.ts'

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

/** A full id, a unique part of one, a name, or the one updated last (in a folder, when given). */
export type Which = string | { readonly last: true; readonly cwd?: string }

/** A connection to a server, and the conversations that were opened with it. */
export class Parley implements AsyncDisposable {
  readonly #client: Client
  readonly #closing = new AbortController()
  readonly #open = new Set<Conversation>()
  readonly #connection: Watched
  readonly #ending: Ending
  #isDetached = false
  #closed: Promise<void> | undefined

  constructor(client: Client, ending: Ending) {
    this.#connection = watchConnection(client, this.#closing.signal, () => ending.explain())
    this.#client = this.#connection.client
    this.#ending = ending
  }

  /** What the server said of itself. */
  get server(): ResultOf<'initialize'> {
    return this.#client.server
  }

  /** Resolves when the connection is gone: with why, or null when we closed it. There is no reconnect behind your back. */
  get closed(): Promise<ClientError | null> {
    return this.#connection.closed
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
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const client = this.#client
    const close = async () => {
      this.#closing.abort()
      await Promise.allSettled([...this.#open].map((conversation) => conversation.close()))
      await client.close()
    }
    const killed = await this.#ending.leave({ client, close, detached: this.#isDetached })
    if (killed === null) return
    client.introduction.onNotice?.({ level: 'warning', code: 'serverKilled', message: killed })
  }

  /** A connection has one stream of a conversation, so there is one follower too. */
  async #follow(summary: ConversationSummary): Promise<Conversation> {
    const known = [...this.#open].find(
      ({ id, attached, isOpen }) => id === summary.conversationId && !attached && isOpen,
    )
    if (known !== undefined) return known
    const conversation = await openConversation(summary, {
      client: this.#client,
      lost: this.#connection.signal,
      attached: false,
      leave: async (how) => {
        this.#open.delete(conversation)
        if (how === 'detached') this.#isDetached = true
      },
    })
    return this.#keep(conversation)
  }

  async #join(client: Client, summary: ConversationSummary): Promise<Conversation> {
    const closing = new AbortController()
    const watched = watchConnection(client, closing.signal, async () => hungUp())
    const hangUp = () => {
      closing.abort()
      return client.close()
    }
    const parts = { client: watched.client, lost: watched.signal, attached: true }
    try {
      const leave = () => {
        this.#open.delete(conversation)
        return hangUp()
      }
      const conversation: Conversation = await openConversation(summary, { ...parts, leave })
      return this.#keep(conversation)
    } catch (error) {
      await hangUp()
      throw error
    }
  }

  #keep(conversation: Conversation): Conversation {
    this.#open.add(conversation)
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
  /** Closes what we have open. A server of our own that nobody else needs ends then; the result says that it was killed, else null. */
  leave(leaving: Leaving): Promise<string | null>
}

function hungUp(): ClientError {
  return new ClientError(
    'connectionClosed',
    'The process that has the conversation open is gone. Nothing shown is lost: resume it.',
  )
}
