import { type Conversation, type ConversationId, codeOf, type Parley } from '@parley/client'
import type { ClientFiles, StartCommand } from '@parley/engine'
import type { Peer } from '@parley/rpc'
import type { CallersLimits } from '../../callers-limits.ts'
import { resumeOrView } from '../../resume-or-view.ts'
import { type ClientCommands, createClientCommands } from '../commands/client-commands.ts'
import { type ThreadStatus, threadShape } from '../shapes/thread.ts'
import { codexError } from '../wire/codex-error.ts'
import type { Notify } from '../wire/codex-transport.ts'
import type { CodexParams } from '../wire/params.ts'
import { askClient } from './answer-approvals.ts'
import { ThreadFeed } from './thread-feed.ts'

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
  readonly startCommand: StartCommand
  readonly files: ClientFiles
  /** ms since the epoch. */
  readonly now: () => number
}

/** Thread that a client follows. */
export interface OpenThread {
  readonly conversation: Conversation
  readonly status: ThreadStatus
  readonly isEphemeral: boolean
}

interface FollowedThread extends OpenThread {
  readonly stop: () => void
}

type ClientPeer = Pick<Peer, 'request' | 'notify' | 'bufferedBytes' | 'drained'>

/** Unsent bytes above which a client gets no text on its way any more. */
const stalledBytes = 4 * 1024 * 1024

/**
 * State of one client: its handshake, the threads it follows and the commands it runs. Everything else is in the
 * engine.
 */
export class AppSession {
  readonly parts: AppServerParts
  /** Commands that this client runs without a thread. */
  readonly commands: ClientCommands
  readonly #peer: () => ClientPeer
  readonly #threads = new Map<ConversationId, FollowedThread>()
  #client: ClientInfo | null = null
  #parley: Promise<Parley> | null = null
  #silenced: ReadonlySet<string> = new Set()
  /** Notifications that wait for the answer to a request; null while there is no such request. */
  #held: (() => void)[] | null = null

  constructor(parts: AppServerParts, peer: () => ClientPeer) {
    this.parts = parts
    this.#peer = peer
    this.commands = createClientCommands(parts.startCommand, { peer, tell: this.tell })
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

  /** Sends a notification at once, unless the client has opted out of its kind. */
  readonly tell: Notify = (method, params) => {
    if (!this.#silenced.has(method)) this.#peer().notify(method, params)
  }

  /** Sends a notification about a thread, after the answer that it waits for. */
  readonly notify: Notify = (method, params) => {
    if (isPassing(method) && this.#peer().bufferedBytes > stalledBytes) return
    if (this.#held === null) this.tell(method, params)
    else this.#held.push(() => this.tell(method, params))
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
    const unhear = conversation.onAccessEnded((message) => {
      feed.endAccess(message, this.parts.now())
      void this.leave(conversation.id).catch(() => undefined)
    })
    const asking = askClient(conversation, {
      ceiling: () => this.parts.limits.ceiling().sandbox,
      peer: this.#peer(),
      notify: this.notify,
      now: this.parts.now,
    })
    const followed: FollowedThread = {
      conversation,
      isEphemeral,
      get status() {
        return feed.status
      },
      stop() {
        unsubscribe()
        unhear()
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

  /**
   * Returns a thread that this client follows, which is joined or loaded for it. Throws for one that does not exist.
   */
  async thread(threadId: string): Promise<OpenThread> {
    return this.find(threadId) ?? this.follow(await this.resume(threadId))
  }

  async resume(threadId: string, overrides: Parameters<Parley['resume']>[1] = {}): Promise<Conversation> {
    assertThreadId(threadId)
    const parley = await this.parley()
    return resumeOrView(parley, threadId, overrides).catch((error: unknown) => {
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
    await this.commands.close()
    await (await this.#parley?.catch(() => null))?.close()
  }
}

/** Returns true for text on its way, which the end of its item repeats in whole. */
function isPassing(method: string): boolean {
  return /^item\/.*Delta$|^item\/agentMessage\/delta$/.test(method)
}

/** Throws for a text that is not the id of a thread. */
export function assertThreadId(threadId: string): void {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(threadId))
    throw codexError(`invalid thread id: ${threadId}`)
}
