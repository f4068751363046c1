import type { ConversationId, ConversationSummary, MethodName, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import type { Client } from './connection/client.ts'
import { ClientError } from './connection/errors.ts'
import { requestWhereItLives, resumeConversation } from './connection/resume-conversation.ts'
import { type Watched, watchConnection } from './connection/watch-connection.ts'
import { Conversation } from './conversation/conversation.ts'
import { openConversationStore } from './conversation/conversation-store.ts'
import { type Ending, tellKilled } from './server/leave-server.ts'

export interface CreateOptions extends Omit<ParamsOf<'conversation/create'>, 'cwd'> {
  /** Absolute path of the folder to work in. Default: `process.cwd()`. */
  readonly cwd?: string
}

export interface ResumeOptions {
  /** Settings to change, such as the model or the approval policy. */
  readonly overrides?: Overrides
  /** Opens the log as it is now: nothing can be sent, and no new events arrive. */
  readonly readOnly?: boolean
  /** False throws `liveElsewhere` for a conversation that is live in another process. Default: true, which joins it there. */
  readonly join?: boolean
}

/** A full id, a unique part of an id, a name, or the conversation updated last (in `cwd`, where given). */
export type Which = string | { readonly last: true; readonly cwd?: string }

let readClient: (parley: Parley) => Client

/** A connection to a server, with the conversations opened through it. */
export class Parley implements AsyncDisposable {
  static {
    readClient = (parley) => parley.#plain
  }

  readonly #plain: Client
  readonly #client: Client
  readonly #closing = new AbortController()
  readonly #open = new Set<Conversation>()
  readonly #connection: Watched
  readonly #ending: Ending
  #isDetached = false
  #closed: Promise<void> | undefined

  constructor(client: Client, ending: Ending) {
    this.#plain = client
    this.#connection = watchConnection(client, this.#closing.signal, () => ending.explain())
    this.#client = this.#connection.client
    this.#ending = ending
  }

  /** Returns the server's answer to the handshake: version, client id, capabilities. */
  get server(): ResultOf<'initialize'> {
    return this.#client.server
  }

  /** Resolves when the connection is gone: with the reason, or null after `close`. The library never reconnects by itself. */
  get closed(): Promise<ClientError | null> {
    return this.#connection.closed
  }

  /** Creates a conversation and follows it. */
  async create({ cwd = process.cwd(), ...options }: CreateOptions = {}): Promise<Conversation> {
    return this.#follow(await this.#client.request('conversation/create', { ...options, cwd }))
  }

  /** Opens a conversation. Joins it in its own process where it is live elsewhere; throws `liveElsewhere` if that fails. */
  async resume(which: Which, { overrides, readOnly, join = true }: ResumeOptions = {}): Promise<Conversation> {
    const params = {
      ...(typeof which === 'string' ? { prefix: which } : which),
      ...(overrides === undefined ? {} : { overrides }),
      ...(readOnly === undefined ? {} : { readOnly }),
    }
    if (!join) return this.#follow(await this.#client.request('conversation/resume', params))
    const { client, summary, attached } = await resumeConversation(this.#client, params)
    return attached ? await this.#join(client, summary) : await this.#follow(summary)
  }

  /** Creates a conversation with a copy of another one's events up to seq `at` (default: all). */
  async fork(conversationId: ConversationId, at?: number): Promise<Conversation> {
    const params = { conversationId, ...(at === undefined ? {} : { at }) }
    return this.#follow(await this.#client.request('conversation/fork', params))
  }

  /** Lists conversations, newest first. */
  list(params: ParamsOf<'conversation/list'> = {}): Promise<ResultOf<'conversation/list'>> {
    return this.#client.request('conversation/list', params)
  }

  /** Sends any request of the protocol. The owner answers where a conversation is live in another process. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>> {
    return requestWhereItLives(this.#client, method, params)
  }

  /** Closes every open conversation; a server started for this connection saves and ends unless others need it. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Closes like `close`, but neither waits for a server started for this connection nor kills it. */
  detach(): Promise<void> {
    this.#isDetached = true
    return this.close()
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
    tellKilled(killed, client.introduction.onNotice)
  }

  /** Returns the open conversation of this id, or follows it: a connection streams each conversation once. */
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

/** Returns the client below a connection, whose requests reject with the errors of the wire. */
export function clientOf(parley: Parley): Client {
  return readClient(parley)
}

async function openConversation(
  summary: ConversationSummary,
  parts: Omit<ConstructorParameters<typeof Conversation>[0], 'summary' | 'store'>,
): Promise<Conversation> {
  const store = await openConversationStore(parts.client, summary.conversationId)
  return new Conversation({ ...parts, summary, store })
}

function hungUp(): ClientError {
  return new ClientError(
    'connectionClosed',
    'The process that has the conversation open is gone. Nothing shown is lost: resume it.',
  )
}
