import type {
  ConversationId,
  ConversationSummary,
  ListedConversation,
  MethodName,
  Overrides,
  ParamsOf,
  ResultOf,
} from '@parley/protocol'
import { type Client, watcher } from './connection/client.ts'
import { type ClientError, codeOf } from './connection/errors.ts'
import {
  type JoinedConversation,
  joinConversation,
  requestWhereItLives,
  resumeConversation,
} from './connection/resume-conversation.ts'
import { type WatchedConnection, watchConnection } from './connection/watch-connection.ts'
import { Conversation } from './conversation/conversation.ts'
import { type ConversationStore, openConversationStore } from './conversation/conversation-store.ts'
import { type ConversationRoute, followMoves, routeThrough, type ServerFacts } from './conversation-route.ts'
import { type ConnectionEnd, joinedConnectionEnd, reportEnd, teamConnectionEnd } from './server/leave-server.ts'
import type { Team, TeamConversation } from './team/team.ts'

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
export type Which = ConversationId | { readonly last: true; readonly cwd?: string }

/** A conversation that is followed on this connection. */
interface OpenConversation {
  readonly conversation: Conversation
  readonly store: ConversationStore
  /** Summary of its last opening. */
  summary: ConversationSummary
}

/** A connection to a server, with the conversations opened through it. */
export class Parley implements AsyncDisposable {
  readonly #client: Client
  readonly #facts: ServerFacts
  readonly #closing = new AbortController()
  readonly #followed = new Map<ConversationId, OpenConversation>()
  /** Connections to other processes, each made for one conversation that is live there. */
  readonly #joined = new Map<Conversation, Parley>()
  readonly #connection: WatchedConnection
  /** Servers that share conversations; null for a connection to one server. */
  readonly #team: Team | null
  readonly #ending: ConnectionEnd
  #isDetached = false
  /** True while the only conversation followed here decides how long this connection is open. */
  #endsWithConversation = false
  #closed: Promise<void> | undefined

  constructor(
    client: Client,
    ending: ConnectionEnd,
    facts: ServerFacts = { attached: false, serverPid: null },
    team: Team | null = null,
  ) {
    this.#connection = watchConnection(client, this.#closing.signal, () => ending.explain())
    this.#client = this.#connection.client
    this.#ending = ending
    this.#facts = facts
    this.#team = team
  }

  /** Returns the server's answer to the handshake: version, client id, capabilities. */
  get server(): ResultOf<'initialize'> {
    return this.#client.server
  }

  /** Returns true for a server that was started with `--safe`. */
  get isSafe(): boolean {
    return this.#client.isSafe
  }

  /** Returns the server's process id; null for a server reached by its address. */
  get serverPid(): number | null {
    return this.#facts.serverPid
  }

  /** Resolves when the connection is gone: with the reason, or null after `close`. A connection to several `urls` is made again first. */
  get closed(): Promise<ClientError | null> {
    return this.#connection.closed
  }

  /** Creates a conversation and follows it. */
  async create({ cwd = process.cwd(), ...options }: CreateOptions = {}): Promise<Conversation> {
    return this.#begin('conversation/create', { ...options, cwd })
  }

  /** Opens a conversation to take part. Joins it in its own process where it is live elsewhere; throws `liveElsewhere` if that fails. */
  async resume(which: Which, { overrides, readOnly, join = true }: ResumeOptions = {}): Promise<Conversation> {
    const params = {
      ...named(which),
      ...(overrides === undefined ? {} : { overrides }),
      ...(readOnly === undefined ? {} : { readOnly }),
    }
    if (!join) return this.#follow(await this.#client.request('conversation/resume', params))
    if (this.#team !== null) return this.#followThere(this.#team, await this.#team.open(params))
    const resumed = await resumeConversation(this.#client, params)
    return resumed.attached ? await this.#join(resumed) : await this.#follow(resumed.summary)
  }

  /**
   * Opens a conversation to watch: joins it where it is live, with a connection that may change nothing, or else opens
   * the log as it is now. Throws `liveElsewhere` if it is live and cannot be joined.
   */
  async watch(which: Which): Promise<Conversation> {
    if (this.#team !== null) return this.#watchThere(this.#team, which)
    const view = await this.#client.request('conversation/resume', { ...named(which), readOnly: true })
    const { conversationId } = view
    const { introduction } = this.#client
    // A connection that may change nothing follows the conversations that its own server has open.
    if (!view.readOnly && introduction.access === 'readOnly') return this.#follow(view)
    const live = (await this.listLive()).find((listed) => listed.conversationId === conversationId)?.live ?? null
    if (live === null && view.readOnly) return this.#follow(view)
    const owner = { conversationId, ...(live ?? { pid: null, socket: null }) }
    return this.#join(await joinConversation(owner, { introduction: watcher(introduction) }))
  }

  /**
   * Creates a conversation with a copy of another's events up to seq `at` (default: all). With `summary` the model
   * summarises the rest; the original must be open and idle then.
   */
  async fork(
    conversationId: ConversationId,
    at?: number,
    how: { readonly summary?: true } = {},
  ): Promise<Conversation> {
    const params = { conversationId, ...(at === undefined ? {} : { at }), ...how }
    return this.#begin('conversation/fork', params)
  }

  /** Lists conversations, newest first. */
  list(params: ParamsOf<'conversation/list'> = {}): Promise<ResultOf<'conversation/list'>> {
    return this.#client.request('conversation/list', params)
  }

  /** Lists the conversations that any process has open, newest first, among the newest 1,000. */
  async listLive(): Promise<readonly ListedConversation[]> {
    const { conversations } = await this.list({ limit: 1_000 })
    return conversations.filter(({ live }) => live !== null)
  }

  /** Sends any request of the protocol. The owner answers where a conversation is live in another process. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>> {
    return requestWhereItLives(this.#client, method, params)
  }

  /**
   * Returns the connection that follows a conversation opened here: this one, or for an attached conversation the one
   * to its process. The caller closes that connection from then on: it outlives the conversation and this connection.
   */
  release(conversation: Conversation): Parley {
    const joined = this.#joined.get(conversation)
    if (joined === undefined) return this
    this.#joined.delete(conversation)
    joined.#endsWithConversation = false
    return joined
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
      const open = [...this.#followed.values()].map(({ conversation }) => conversation.close())
      await Promise.allSettled([...open, ...[...this.#joined.values()].map((joined) => joined.close())])
      await client.close()
    }
    const words = await this.#ending.leave({ client, close, detached: this.#isDetached })
    reportEnd(words, client.introduction.callbacks?.onNotice)
  }

  /** Makes a conversation and follows it where it was made. */
  async #begin<Name extends 'conversation/create' | 'conversation/fork'>(
    method: Name,
    params: ParamsOf<Name>,
  ): Promise<Conversation> {
    const team = this.#team
    if (team === null) return this.#follow(await this.#client.request(method, params))
    const { result: summary, ...at } = await team.home.ask(method, params)
    return this.#followThere(team, { ...at, summary, attached: false })
  }

  /** Follows a conversation from server to server. */
  async #followThere(team: Team, opened: TeamConversation): Promise<Conversation> {
    const { summary, attached } = opened
    if (this.#followed.get(summary.conversationId)?.conversation.isOpen === true) return this.#follow(summary)
    const route = routeThrough(team.clientFor(opened), this.#closing.signal)
    return await this.#follow(summary, { ...route, facts: { attached, serverPid: null } })
  }

  /** Follows a conversation. Refreshes one that is followed already, because a connection streams each one once. */
  async #follow(summary: ConversationSummary, route: ConversationRoute = this.#ownRoute()): Promise<Conversation> {
    const { conversationId } = summary
    const known = this.#followed.get(conversationId)
    if (known?.conversation.isOpen === true) {
      known.summary = summary
      await known.store.refresh()
      return known.conversation
    }
    const store = await openConversationStore(route.client, conversationId)
    followMoves(store, route)
    const leave = async (how: 'closed' | 'detached') => {
      if (this.#followed.get(conversationId) === followed) this.#followed.delete(conversationId)
      if (how === 'detached') this.#isDetached = true
      // The close of the connection waits for this conversation.
      if (this.#endsWithConversation && this.#closed === undefined) await this.close()
      await route.lasting?.close()
    }
    const { client, lost, facts, lasting } = route
    const link = lasting === undefined ? {} : { onLink: lasting.onLink }
    const conversation = new Conversation({
      client,
      store,
      summary: () => followed.summary,
      ...facts,
      ...link,
      lost,
      leave,
    })
    const followed: OpenConversation = { conversation, store, summary }
    this.#followed.set(conversationId, followed)
    return conversation
  }

  #ownRoute(): ConversationRoute {
    return { client: this.#client, lost: this.#connection.signal, facts: this.#facts }
  }

  /** Watches a conversation from server to server, by a connection that may change nothing. Opens the saved log where no server has it open. */
  async #watchThere(team: Team, which: Which): Promise<Conversation> {
    if (this.#client.introduction.access !== 'readOnly') {
      const own = await team.asWatcher()
      const watching = new Parley(own.home, teamConnectionEnd(own), this.#facts, own)
      return this.#through(watching, () => watching.watch(which))
    }
    try {
      return await this.#followThere(team, { ...(await team.open(named(which))), attached: true })
    } catch (error) {
      if (codeOf(error) !== 'notPermitted') throw error
      return this.#follow(await this.#client.request('conversation/resume', { ...named(which), readOnly: true }))
    }
  }

  #join({ client, summary, owner }: JoinedConversation): Promise<Conversation> {
    const joined = new Parley(client, joinedConnectionEnd, { attached: true, serverPid: owner.pid })
    return this.#through(joined, () => joined.#follow(summary))
  }

  /** Opens a conversation on a connection that is made for it. */
  async #through(joined: Parley, open: () => Promise<Conversation>): Promise<Conversation> {
    try {
      const conversation = await open()
      joined.#endsWithConversation = true
      this.#joined.set(conversation, joined)
      void joined.closed.then(() => this.#joined.delete(conversation))
      return conversation
    } catch (error) {
      await joined.close()
      throw error
    }
  }
}

function named(which: Which): Pick<ParamsOf<'conversation/resume'>, 'prefix' | 'last' | 'cwd'> {
  return typeof which === 'string' ? { prefix: which } : which
}
