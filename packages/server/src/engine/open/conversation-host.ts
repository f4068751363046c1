import { type Files, type SessionPaths, sessionPaths } from '@parley/journal'
import type {
  Actor,
  ClientAccess,
  ConversationEvent,
  ConversationId,
  ConversationState,
  Overrides,
  ParamsOf,
  ResultOf,
} from '@parley/protocol'
import type { Ids } from '../../ports/ids.ts'
import { findConversation } from '../read/find-conversation.ts'
import { listConversations } from '../read/list-conversations.ts'
import { notPermitted, rejection } from '../replies/rejection.ts'
import { removeConversation } from './close-conversation.ts'
import type { OpenParts } from './conversation-parts.ts'
import { loadedParts, newParts } from './conversation-parts.ts'
import type { ConversationSetup } from './conversation-setup.ts'
import { forkLog } from './fork.ts'
import type { LiveConversation } from './live-conversation.ts'
import { type LoadedConversation, loadConversation, viewConversation } from './load-conversation.ts'
import { OpenConversations } from './open-conversations.ts'
import { createWriterLocks, type WriterLocks } from './writer-locks.ts'

interface HostParts {
  readonly files: Files
  readonly home: string
  readonly ids: Ids
  readonly setup: ConversationSetup
  readonly report: (fault: unknown, conversationId: ConversationId) => void
}

/** Client that opens a conversation. */
interface Guest {
  readonly actor: Actor
  readonly access: ClientAccess
}

type Settle = (state: ConversationState) => readonly ConversationEvent[]

/** Opens, resumes, forks, lists and closes conversations; keeps one writer per conversation. */
export class ConversationHost implements AsyncDisposable {
  readonly #parts: HostParts
  readonly #locks: WriterLocks
  readonly #open: OpenConversations
  /** Conversations created with a `requestKey`, while they are open. */
  readonly #created = new Map<string, { readonly id: ConversationId; readonly open: Promise<LiveConversation> }>()

  constructor(parts: HostParts) {
    this.#parts = parts
    this.#locks = createWriterLocks(parts.files, parts.setup.program)
    this.#open = new OpenConversations({ release: (id) => this.#release(id), report: parts.report })
  }

  get conversations(): readonly LiveConversation[] {
    return this.#open.all
  }

  /** Returns an open conversation. Throws `conversationNotFound`. */
  get(conversationId: ConversationId): LiveConversation {
    const open = this.#open.get(conversationId)
    if (open !== undefined) return open
    throw rejection('conversationNotFound', `Conversation ${conversationId} is not open here. Resume it first.`)
  }

  async create(params: ParamsOf<'conversation/create'>, guest: Guest): Promise<LiveConversation> {
    const { requestKey } = params
    const known = requestKey === undefined ? undefined : this.#created.get(requestKey)
    const id = known?.id ?? this.#parts.ids.conversation()
    const creating = known?.open ?? this.#create(id, params)
    if (known === undefined && requestKey !== undefined) {
      this.#created.set(requestKey, { id, open: creating })
      creating.catch(() => this.#created.delete(requestKey))
    }
    return welcome(await creating, guest)
  }

  async resume(params: ParamsOf<'conversation/resume'>, guest: Guest): Promise<LiveConversation> {
    const { files, home } = this.#parts
    const conversationId = await findConversation(files, home, params)
    return this.#open.inOrder(conversationId, async () =>
      welcome(await this.#resume(conversationId, params, guest), guest),
    )
  }

  async #resume(
    conversationId: ConversationId,
    { overrides, readOnly = false }: ParamsOf<'conversation/resume'>,
    { actor: by, access }: Guest,
  ): Promise<LiveConversation> {
    const { setup } = this.#parts
    const known = this.#open.get(conversationId)
    if (known !== undefined && !known.conversation.readOnly) {
      if (access === 'readOnly' && overrides !== undefined) throw notPermitted('changes its settings')
      const changes = overrides === undefined ? [] : setup.resumeChanges(known.conversation.state, overrides, by)
      if (changes.length > 0) known.conversation.recordAll(changes)
      known.modules.limits.recordEnforcement()
      return known
    }
    if (access === 'readOnly' && !readOnly) throw notPermitted('opens it for writing', 'Resume it with `readOnly`.')
    try {
      // A view shows the log as it was, so opening it again reads the log anew.
      if (readOnly) return await this.#view(conversationId)
      return await this.#load(conversationId, (state) => setup.resumeChanges(state, overrides ?? {}, by), overrides)
    } finally {
      if (this.#open.get(conversationId) !== known) await known?.[Symbol.asyncDispose]()
    }
  }

  /** Copies the lines up to `at` into a new log; the source is only read and may be open anywhere. */
  async fork(conversationId: ConversationId, at: number | null, guest: Guest): Promise<LiveConversation> {
    const { files, home, ids, setup } = this.#parts
    const from = this.pathsOf(conversationId)
    const forkId = ids.conversation()
    const to = this.#pathsOf(forkId)
    const source = this.#open.get(conversationId)?.conversation
    await source?.synced()
    source?.assertStored()
    await this.#locks.take(forkId, to)
    try {
      await forkLog(files, { from, to, fromId: conversationId, toId: forkId, at, home })
      const loaded = await loadConversation({ files, takeEnvironment: setup.takeEnvironment }, to, forkId)
      const open = await this.#adopt(forkId, { ...loaded, recovery: [] }, { settle: setup.forkCleanup })
      return welcome(open, guest)
    } catch (error) {
      removeConversation(files, to)
      this.#locks.release(forkId)
      throw error
    }
  }

  /** Closes a conversation without participants and running work, so that another process may open it. */
  leave(conversationId: ConversationId): Promise<void> {
    return this.#open.leave(conversationId)
  }

  /** Closes every conversation that was not detached, after the last client has left. Resolves when none is open. */
  abandon(): Promise<void> {
    return this.#open.abandon()
  }

  /** Resolves when no conversation is open. */
  emptied(): Promise<void> {
    return this.#open.emptied()
  }

  /** Announces where other processes can join; null withdraws the address. */
  announce(socket: string | null): void {
    this.#locks.announce(socket)
  }

  list(params: ParamsOf<'conversation/list'>): Promise<ResultOf<'conversation/list'>> {
    return listConversations(this.#parts.files, this.#parts.home, params)
  }

  /** Runs a function on a conversation, which is opened for the call unless it is open. */
  withConversation<Result>(conversationId: ConversationId, run: (open: LiveConversation) => Result): Promise<Result> {
    return this.#open.inOrder(conversationId, async () => {
      const known = this.#open.get(conversationId)
      if (known !== undefined && !known.conversation.readOnly) return run(known)
      const open = await this.#load(conversationId, () => [])
      try {
        return run(open)
      } finally {
        await this.#open.close(conversationId)
        if (known !== undefined) this.#open.set(conversationId, known)
      }
    })
  }

  delete(conversationId: ConversationId): Promise<void> {
    return this.#open.inOrder(conversationId, async () => {
      const { files } = this.#parts
      const paths = this.pathsOf(conversationId)
      const open = this.#open.get(conversationId)
      if (open?.conversation.state.core.turn != null && !open.conversation.readOnly)
        throw rejection('turnInProgress', 'A turn is open in it. Interrupt it first.')
      if (files.look(paths.log) === null) throw notThere(conversationId)
      if (open === undefined || open.conversation.readOnly) await this.#locks.take(conversationId, paths)
      // The lock is kept until the files are removed, so that no process opens them meanwhile.
      await this.#open.end(conversationId)
      removeConversation(files, paths)
      this.#release(conversationId)
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open[Symbol.asyncDispose]()
  }

  async #create(conversationId: ConversationId, params: ParamsOf<'conversation/create'>): Promise<LiveConversation> {
    const { files, home, setup } = this.#parts
    const created = setup.initialSettings(params)
    const parts = newParts(files, { conversationId, home, params, created })
    await this.#locks.take(conversationId, parts.paths)
    return this.#keep(conversationId, parts)
  }

  async #load(conversationId: ConversationId, settle: Settle, overrides?: Overrides): Promise<LiveConversation> {
    const paths = this.#pathsOf(conversationId)
    if (this.#parts.files.look(paths.log) === null) throw notThere(conversationId)
    await this.#locks.take(conversationId, paths)
    let loaded: LoadedConversation
    try {
      const { files, setup } = this.#parts
      const takeEnvironment = (state: ConversationState) => setup.takeEnvironment(state, overrides)
      loaded = await loadConversation({ files, takeEnvironment }, paths, conversationId)
    } catch (error) {
      this.#locks.release(conversationId)
      throw error
    }
    return this.#adopt(conversationId, loaded, { settle, ...(overrides === undefined ? {} : { overrides }) })
  }

  /** Opens a conversation that was loaded under its lock, and records its recovery and changes. */
  async #adopt(
    conversationId: ConversationId,
    loaded: LoadedConversation,
    { settle, overrides }: { settle: Settle; overrides?: Overrides },
  ): Promise<LiveConversation> {
    let changes: readonly ConversationEvent[]
    try {
      if (loaded.fold.state.core.seq === 0) throw emptyLog(conversationId)
      changes = settle(loaded.fold.state)
    } catch (error) {
      await loaded.log?.[Symbol.asyncDispose]()
      this.#locks.release(conversationId)
      throw error
    }
    const open = await this.#keep(conversationId, this.#loadedParts(conversationId, loaded, overrides))
    if (loaded.log === null) {
      this.#locks.release(conversationId)
      return open
    }
    try {
      const events = [...loaded.recovery, ...changes]
      if (events.length > 0) open.conversation.recordAll(events)
      open.modules.limits.recordEnforcement()
      return open
    } catch (error) {
      await this.#open.close(conversationId)
      throw error
    }
  }

  #view(conversationId: ConversationId): Promise<LiveConversation> {
    const loaded = viewConversation(this.#parts.files, this.#pathsOf(conversationId), conversationId)
    return this.#keep(conversationId, this.#loadedParts(conversationId, loaded))
  }

  #loadedParts(conversationId: ConversationId, loaded: LoadedConversation, overrides: Overrides = {}): OpenParts {
    return loadedParts(this.#parts.files, { paths: this.#pathsOf(conversationId), loaded, overrides })
  }

  async #keep(conversationId: ConversationId, parts: OpenParts): Promise<LiveConversation> {
    try {
      const open = await this.#parts.setup.open(parts)
      this.#open.set(conversationId, open)
      return open
    } catch (error) {
      await parts.journal?.close()
      parts.dispose()
      this.#locks.release(conversationId)
      throw error
    }
  }

  #release(conversationId: ConversationId): void {
    for (const [key, { id }] of this.#created) if (id === conversationId) this.#created.delete(key)
    this.#locks.release(conversationId)
  }

  /** Returns the paths of a conversation; an ephemeral one lies in a temporary folder. */
  pathsOf(conversationId: ConversationId): SessionPaths {
    return this.#open.get(conversationId)?.paths ?? this.#pathsOf(conversationId)
  }

  #pathsOf(conversationId: ConversationId): SessionPaths {
    const paths = sessionPaths(this.#parts.home, conversationId)
    if (paths !== null) return paths
    throw rejection('conversationNotFound', `"${conversationId}" is not a conversation id.`)
  }
}

function welcome(open: LiveConversation, guest: Guest): LiveConversation {
  open.clients.guests.add(guest)
  return open
}

/** Builds the rejection for a log without events, which a crash leaves before the first one. */
function emptyLog(conversationId: ConversationId) {
  return rejection('conversationNotFound', `The log of conversation ${conversationId} holds no event.`)
}

function notThere(conversationId: ConversationId) {
  return rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
}
