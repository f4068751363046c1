import { type Conversation, type ConversationId, codeOf, type Parley } from '@parley/client'
import type { Peer } from '@parley/rpc'
import type { CallersLimits } from '../callers-limits.ts'
import { type ThreadStatus, threadShape } from './shapes/thread.ts'
import { askClient } from './threads/answer-approvals.ts'
import { ThreadFeed } from './threads/thread-feed.ts'
import { codexError } from './wire/codex-error.ts'
import type { CodexParams } from './wire/params.ts'

/** Name and version of a client, as it gives them. */
export type ClientInfo = CodexParams<'initialize'>['clientInfo']

export interface AppServerParts {
  /** Opens a connection to the engine of this process, for one client. */
  readonly connect: (who: {
    readonly name: string
    readonly title?: string
    readonly version: string
  }) => Promise<Parley>
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly version: string
  readonly limits: CallersLimits
  /** ms since the epoch. */
  readonly now: () => number
}

/** Thread that a client follows. */
export interface OpenThread {
  readonly conversation: Conversation
  readonly status: ThreadStatus
  readonly isEphemeral: boolean
}

interface Followed extends OpenThread {
  readonly stop: () => void
}

/** State of one client: its handshake and the threads it follows. Everything else is in the engine. */
export class AppSession {
  readonly parts: AppServerParts
  readonly #peer: () => Pick<Peer, 'request' | 'notify'>
  readonly #threads = new Map<ConversationId, Followed>()
  #client: ClientInfo | null = null
  #parley: Promise<Parley> | null = null
  #silenced: ReadonlySet<string> = new Set()
  /** Notifications that wait for the answer to a request; null while none does. */
  #held: (() => void)[] | null = null

  constructor(parts: AppServerParts, peer: () => Pick<Peer, 'request' | 'notify'>) {
    this.parts = parts
    this.#peer = peer
  }

  get isInitialized(): boolean {
    return this.#client !== null
  }

  get clientInfo(): ClientInfo {
    if (this.#client === null) throw codexError('Not initialized')
    return this.#client
  }

  initialize({ clientInfo, capabilities }: CodexParams<'initialize'>): void {
    if (this.#client !== null) throw codexError('Already initialized')
    this.#client = clientInfo
    this.#silenced = new Set(capabilities?.optOutNotificationMethods ?? [])
  }

  /** Returns the connection to the engine, which is opened with the first use. */
  parley(): Promise<Parley> {
    const { name, title, version } = this.clientInfo
    this.#parley ??= this.parts.connect({ name, version, ...(title == null ? {} : { title }) })
    return this.#parley
  }

  /** Sends a notification, after the answer that it waits for. */
  readonly notify = (method: string, params: Readonly<Record<string, unknown>>): void => {
    if (this.#silenced.has(method)) return
    const send = () => this.#peer().notify(method, params)
    if (this.#held === null) send()
    else this.#held.push(send)
  }

  /** Holds notifications back until the returned function is called. */
  hold(): () => void {
    const held = this.#held ?? []
    this.#held = held
    return () => {
      if (this.#held !== held) return
      this.#held = null
      for (const send of held) send()
    }
  }

  /** Follows a conversation. One that is followed already stays as it is. */
  async follow(conversation: Conversation, isEphemeral = false): Promise<OpenThread> {
    const known = this.#threads.get(conversation.id)
    if (known?.conversation === conversation) return known
    const { core } = conversation.state
    await this.parts.limits.assertReachable(core).catch(async (error: unknown) => {
      await conversation.close()
      throw error
    })
    const feed = new ThreadFeed(conversation, this.notify)
    const unsubscribe = conversation.subscribe((envelope) => feed.take(envelope))
    const asking = askClient(conversation, { peer: this.#peer(), notify: this.notify, now: this.parts.now })
    const followed: Followed = {
      conversation,
      isEphemeral,
      get status() {
        return feed.status
      },
      stop() {
        unsubscribe()
        asking[Symbol.dispose]()
      },
    }
    this.#threads.set(conversation.id, followed)
    return followed
  }

  get threads(): readonly OpenThread[] {
    return [...this.#threads.values()]
  }

  find(threadId: string): OpenThread | null {
    const found = this.#threads.get(threadId)
    return found?.conversation.isOpen === true ? found : null
  }

  /** Returns a thread that this client follows, which is joined or loaded for it. Throws for one that does not exist. */
  async thread(threadId: string): Promise<OpenThread> {
    return this.find(threadId) ?? this.follow(await this.resume(threadId))
  }

  async resume(threadId: string, overrides: Parameters<Parley['resume']>[1] = {}): Promise<Conversation> {
    assertThreadId(threadId)
    const parley = await this.parley()
    return parley.resume(threadId, overrides).catch((error: unknown) => {
      throw codeOf(error) === 'conversationNotFound' ? codexError(`thread not found: ${threadId}`) : error
    })
  }

  /** Stops following a thread. Returns false for one that is not followed. */
  async leave(threadId: string): Promise<boolean> {
    const followed = this.#threads.get(threadId)
    if (followed === undefined) return false
    this.#threads.delete(threadId)
    followed.stop()
    await followed.conversation.close()
    return true
  }

  /** Returns a followed thread in the form of clients. */
  shape({ conversation, status, isEphemeral }: OpenThread, turns: Parameters<typeof threadShape>[2]['turns'] = []) {
    const { meta, settings } = conversation.state.core
    const { home, version } = this.parts
    const { conversationId, cwd, title, name, createdAt, updatedAt, forkedFrom } = meta
    const { createdAt: opened } = conversation.summary
    const times = { createdAt: createdAt || opened, updatedAt: updatedAt || opened }
    return threadShape({ conversationId, cwd, title, name, forkedFrom, ...times }, settings, {
      home,
      version,
      status,
      turns,
      ephemeral: isEphemeral,
    })
  }

  async close(): Promise<void> {
    for (const { stop } of this.#threads.values()) stop()
    await (await this.#parley?.catch(() => null))?.close()
  }
}

/** Throws for what is no id of a thread. */
export function assertThreadId(threadId: string): void {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(threadId))
    throw codexError(`invalid thread id: ${threadId}`)
}
