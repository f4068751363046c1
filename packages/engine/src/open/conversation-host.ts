import { type Files, hasCode, isRunning, readOwner, type SessionPaths, STORE_TAKEN } from '@parley/journal'
import type { Actor, ConversationId, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import type { Guest } from '../limits/may-loosen.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import { OpenConversations } from '../live/open-conversations.ts'
import { rescuedIfLost } from '../load/rescue-log.ts'
import { liveElsewhere } from '../load/writer-locks.ts'
import { assertMayChange, assertMayOpen, type Reached, reachedIn, type Unopened } from '../people/check-right.ts'
import { createMadeOnce, type MadeOnce } from '../people/made-once.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import type { SharedStore } from '../ports/shared-store.ts'
import { type Catalogue, readableCatalogue } from '../read/catalogue.ts'
import { findOpen } from '../read/find-open.ts'
import { findConversation, listConversations } from '../read/list-conversations.ts'
import { rejection } from '../replies/rejection.ts'
import { catalogueIn } from '../sharing/shared-catalogue.ts'
import { createSharing } from '../sharing/sharing.ts'
import { type ConversationSetup, resumerOf } from './conversation-setup.ts'
import { followStore } from './follow-store.ts'
import { StoredConversations } from './stored-conversations.ts'

interface HostParts {
  readonly files: Files
  readonly home: string
  readonly followList: (listener: () => void) => () => void
  readonly ids: Ids
  readonly setup: ConversationSetup
  /** Store that servers share; null where conversations are on this machine only. */
  readonly store: SharedStore | null
  readonly report: (fault: unknown, conversationId?: ConversationId) => void
  /** Takes a conversation that is gone out of the search. */
  readonly forget: (conversationId: ConversationId) => Promise<void>
}

/** Opens, resumes, forks, lists and closes conversations; keeps one writer per conversation. */
export class ConversationHost implements AsyncDisposable {
  readonly #parts: HostParts
  readonly #stored: StoredConversations
  readonly #open: OpenConversations
  readonly #catalogue: Catalogue
  readonly #following: Disposable | null
  readonly #unopened: Unopened
  readonly #made: MadeOnce<LiveConversation>

  constructor(parts: HostParts) {
    this.#parts = parts
    this.#made = createMadeOnce(() => parts.ids.conversation())
    this.#open = new OpenConversations({ release: (id) => this.#release(id), report: parts.report })
    const { files, home, setup, store } = parts
    this.#catalogue = catalogueIn(store?.lists ?? null, files, home)
    const sharing = createSharing(store, files, setup.carriedGrants)
    this.#unopened = { access: this.#catalogue.row, elsewhere: sharing.elsewhere }
    const open = this.#open
    this.#stored = new StoredConversations({ files, home, setup, sharing, open, catalogue: this.#catalogue })
    const { program } = setup
    const { forget, report } = parts
    this.#following =
      store === null ? null : followStore(store, { files, home, program, open, sharing, forget, report })
  }

  /** Calls a listener when the list of conversations may have changed. */
  get followList(): HostParts['followList'] {
    return this.#parts.followList
  }

  get conversations(): readonly LiveConversation[] {
    return this.#open.all
  }

  /** Resolves to the function that applies overrides to an open conversation. It throws, and changes nothing, above the ceiling. */
  async changer(guest: Guest): Promise<(open: LiveConversation, overrides: Overrides) => void> {
    const { setup } = this.#parts
    const resumer = await resumerOf(guest, setup)
    return (open, overrides) => setup.settings.change(open, overrides, resumer)
  }

  /** Returns an open conversation. Throws `conversationNotFound`. */
  get(conversationId: ConversationId): LiveConversation {
    const open = this.#open.get(conversationId)
    if (open !== undefined) return open
    throw rejection('conversationNotFound', `Conversation ${conversationId} is not open here. Resume it first.`)
  }

  async create(params: ParamsOf<'conversation/create'>, guest: Guest): Promise<LiveConversation> {
    const make = (id: ConversationId) => this.#stored.create(id, { params, guest })
    return welcome(await this.#made.make(params.requestKey, guest, make), guest)
  }

  /** Returns the conversations that a client may read. */
  readable({ rights }: Guest): Catalogue {
    return readableCatalogue(this.#catalogue, rights)
  }

  /** Returns who reaches a conversation that this process writes; null for any other. */
  openAccess(conversationId: ConversationId): Reached | null {
    return reachedIn(this.#open.get(conversationId))
  }

  /** Resolves to who reaches a conversation as every server sees it; null where there is none. */
  storedAccess(conversationId: ConversationId): Promise<Reached | null> {
    return this.#catalogue.row(conversationId)
  }

  /** Finds the conversation that a request names. Rejects with `conversationNotFound` or `ambiguousConversation`. */
  find(params: ParamsOf<'conversation/resume'>, guest: Guest): Promise<ConversationId> {
    return findConversation(this.readable(guest), params)
  }

  async resume(params: ParamsOf<'conversation/resume'>, guest: Guest): Promise<LiveConversation> {
    const conversationId = await this.find(params, guest)
    return this.#open.inOrder(conversationId, async () =>
      welcome(await this.#resume(conversationId, params, guest), guest),
    )
  }

  async #resume(
    conversationId: ConversationId,
    { overrides, readOnly = false }: ParamsOf<'conversation/resume'>,
    guest: Guest,
  ): Promise<LiveConversation> {
    const { setup } = this.#parts
    const resumer = await resumerOf(guest, setup)
    const known = await this.#current(conversationId)
    if (known !== undefined && !known.conversation.readOnly) {
      if (overrides !== undefined) setup.settings.change(assertMayChange(guest, known), overrides, resumer)
      else known.roles.act.limits.recordEnforcement()
      return known
    }
    const opening = { conversationId, changes: overrides !== undefined }
    if (!readOnly) await assertMayOpen(guest, opening, this.#unopened)
    try {
      // A view shows the log as it was, so opening it again reads the log anew.
      if (readOnly) return await this.#stored.view(conversationId)
      const open = await this.#stored.load(conversationId, setup.settings.resumed(overrides ?? {}, resumer), overrides)
      // A turn that ran when another server ended goes on here.
      if (open.conversation.state.core.turn?.parked === false) open.turns.wake()
      return open
    } finally {
      if (this.#open.get(conversationId) !== known) await known?.[Symbol.asyncDispose]()
    }
  }

  /** Returns what is open here. Closes what another server took while this process was paused: clients may have seen more. */
  async #current(conversationId: ConversationId): Promise<LiveConversation | undefined> {
    try {
      await this.#open.get(conversationId)?.conversation.mayAct()
    } catch (error) {
      if (!hasCode(error, STORE_TAKEN)) throw error
      await this.#open.closeTaken(conversationId)
    }
    return this.#open.get(conversationId)
  }

  /**
   * Copies the lines up to `at` into a new log; the source is only read and may be open anywhere. Of one that is open
   * here and whose log others have changed, what its descriptor and memory hold is copied.
   */
  async fork(params: ParamsOf<'conversation/fork'>, guest: Guest): Promise<LiveConversation> {
    const make = (forkId: ConversationId) => this.#fork(params, forkId, guest)
    return welcome(await this.#made.make(params.requestKey, guest, make), guest)
  }

  async #fork(
    { conversationId, at, summary }: ParamsOf<'conversation/fork'>,
    forkId: ConversationId,
    guest: Guest,
  ): Promise<LiveConversation> {
    const leftOut = summary === undefined ? [] : await leftOutOf(this.get(conversationId), at, guest.actor)
    const from = this.pathsOf(conversationId)
    const source = this.#open.get(conversationId)?.conversation
    if (source === undefined) await this.#open.inOrder(conversationId, () => this.#stored.refresh(conversationId))
    const rescued = source === undefined ? null : await rescuedIfLost(source)
    const settings = source?.readOnly === false ? source.state.core.settings : null
    const copy = { fromId: conversationId, from, forkId, at: at ?? null, settings, rescued, leftOut, guest }
    return this.#stored.fork(copy)
  }

  /** Forks a conversation that is open here, whatever became of its log. Rejects with `liveElsewhere` for one of another server. */
  async rescue({ conversation }: ParamsOf<'conversation/rescue'>, guest: Guest): Promise<LiveConversation> {
    const { files, home } = this.#parts
    const conversationId = findOpen(files, home, conversation) ?? (await this.find({ prefix: conversation }, guest))
    if (this.#open.get(conversationId) !== undefined) return this.fork({ conversationId }, guest)
    const owner = readOwner(files, this.pathsOf(conversationId).owner)
    if (owner !== null && isRunning(owner)) throw await liveElsewhere(conversationId, owner)
    throw rejection(
      'conversationNotFound',
      `No running server has ${conversation} open, so its log is all there is: fork it to go on in a copy.`,
    )
  }

  /** Opens a bundle as a new conversation, whose first lines are those of the bundle. Rejects with `badBundle`. */
  async openBundle(params: ParamsOf<'bundle/open'>, guest: Guest): Promise<LiveConversation> {
    const conversationId = this.#parts.ids.conversation()
    await this.#stored.importBundle(conversationId, { params, guest })
    return this.resume({ conversationId }, guest)
  }

  /** Resolves to the paths of a conversation once all that was recorded here is on disk. */
  async storedPaths(conversationId: ConversationId): Promise<SessionPaths> {
    const live = this.#open.get(conversationId)?.conversation
    // In its turn: who opens it meanwhile would find it locked.
    if (live === undefined) await this.#open.inOrder(conversationId, () => this.#stored.refresh(conversationId))
    await live?.synced()
    live?.assertStored()
    return this.pathsOf(conversationId)
  }

  /** Resolves when all that was recorded in a conversation may be shown; null where that is at once. */
  shown(conversationId: ConversationId): Promise<void> | null {
    return this.#open.get(conversationId)?.conversation.shown() ?? null
  }

  /** Stops all work of a conversation that another server has taken over, and closes it here. */
  giveUp(conversationId: ConversationId): void {
    void this.#open.inOrder(conversationId, () => this.#open.closeTaken(conversationId))
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
    this.#stored.announce(socket)
  }

  list(params: ParamsOf<'conversation/list'>, guest: Guest): Promise<ResultOf<'conversation/list'>> {
    return listConversations(this.readable(guest), params)
  }

  /** Runs a function on a conversation, which is opened for the call unless it is open. */
  withConversation<Result>(conversationId: ConversationId, run: (open: LiveConversation) => Result): Promise<Result> {
    return this.#open.inOrder(conversationId, async () => {
      const known = this.#open.get(conversationId)
      if (known !== undefined && !known.conversation.readOnly) return run(known)
      const open = await this.#stored.load(conversationId, () => [])
      try {
        return run(open)
      } finally {
        await this.#open.handOver(conversationId)
        if (known !== undefined) this.#open.set(conversationId, known)
      }
    })
  }

  delete(conversationId: ConversationId): Promise<void> {
    return this.#open.inOrder(conversationId, async () => {
      const open = this.#open.get(conversationId)
      if (open?.conversation.state.core.turn != null && !open.conversation.readOnly)
        throw rejection('turnInProgress', 'A turn is open in it. Interrupt it first.')
      await this.#stored.remove(conversationId, open, () => this.#open.end(conversationId))
      this.#release(conversationId)
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#following?.[Symbol.dispose]()
    return this.#open[Symbol.asyncDispose]()
  }

  #release(conversationId: ConversationId): void {
    this.#made.forget(conversationId)
    this.#stored.release(conversationId)
  }

  /** Returns the paths of a conversation; an ephemeral one lies in a temporary folder. */
  pathsOf(conversationId: ConversationId): SessionPaths {
    return this.#open.get(conversationId)?.paths ?? this.#stored.pathsOf(conversationId)
  }
}

function welcome(open: LiveConversation, guest: Guest): LiveConversation {
  open.clients.join(guest)
  return open
}

/** Resolves to the events that say what a copy leaves out. */
async function leftOutOf(open: LiveConversation, at: number | undefined, by: Actor) {
  const { summariseLeftOut } = await import('../commands/summarise-left-out.ts')
  return await summariseLeftOut(open, at ?? open.conversation.state.core.seq, by)
}
