import { limitConcurrency } from '@parley/host'
import { type Files, removeSession, type SessionPaths, sessionPaths } from '@parley/journal'
import {
  accessOfNew,
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  type Overrides,
  type ParamsOf,
} from '@parley/protocol'
import type { Guest } from '../limits/may-loosen.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import type { OpenConversations } from '../live/open-conversations.ts'
import {
  type LoadedConversation,
  loadConversation,
  loadedParts,
  newParts,
  type OpenConversation,
  viewConversation,
} from '../load/conversation-parts.ts'
import { type Copy, forkLog, forkRescued, loadedCopy, ownName } from '../load/fork.ts'
import { createWriterLocks, type WriterLocks } from '../load/writer-locks.ts'
import { accessOfCopy, asCopyOf } from '../people/share.ts'
import type { Shipment } from '../ports/shared-store.ts'
import { type Catalogue, readableCatalogue } from '../read/catalogue.ts'
import { takenNames } from '../read/list-conversations.ts'
import { emptyLog, noConversation, rejection } from '../replies/rejection.ts'
import { existingFolder } from '../settings/existing-folder.ts'
import { giveUp, ownerOf, type Sharing, shareLog } from '../sharing/sharing.ts'
import { deleteStored } from '../stored/delete-stored.ts'
import { assertRescued, lostBackground, lostForwards } from '../stored/opening-problems.ts'
import type { ConversationSetup, Settle } from './conversation-setup.ts'
import { warmUpInPause } from './warm-up.ts'

interface Ports {
  readonly files: Files
  readonly home: string
  readonly setup: ConversationSetup
  /** Takes each conversation as it opens, and closes it when its recovery cannot be recorded. */
  readonly open: OpenConversations
  readonly sharing: Sharing
  readonly catalogue: Catalogue
}

interface Asked<Method extends 'conversation/create' | 'bundle/open'> {
  readonly params: ParamsOf<Method>
  readonly guest: Guest
}

interface Adopting {
  readonly settle: Settle
  /** Way to the store that servers share; null where there is none. */
  readonly shipment: Shipment | null
  readonly overrides?: Overrides
}

/** Conversations on disk, each opened under its writer lock. An opening that fails releases the lock. */
export class StoredConversations {
  readonly #ports: Ports
  readonly #locks: WriterLocks
  /** Opens a few at once, so that a server that takes all of a dead one renews its lease; who waits holds up no other. */
  readonly #inTurn = limitConcurrency(4, 1000)

  constructor(ports: Ports) {
    this.#ports = ports
    this.#locks = createWriterLocks(ports.files, ports.setup.program)
  }

  async create(
    conversationId: ConversationId,
    { params, guest }: Asked<'conversation/create'>,
  ): Promise<LiveConversation> {
    const { files, home, setup } = this.#ports
    const created = setup.settings.newSettings(params, await setup.secrets(), guest.rights.maxSandbox)
    const onStart = () => setup.settings.keepNew(conversationId, params, created)
    const { processes, checkpoints } = setup
    const access = accessOfNew(guest.rights)
    const opening = newParts(files, { conversationId, home, params, created, access, onStart, processes, checkpoints })
    const { paths } = opening.parts
    await this.#locks.take(conversationId, paths)
    return this.#keep(
      conversationId,
      opening,
      params.ephemeral === true ? null : await this.#take(paths, conversationId, 'new'),
    )
  }

  /** Opens a conversation from its log. Records its recovery, then the events of `settle`. */
  async load(conversationId: ConversationId, settle: Settle, overrides?: Overrides): Promise<LiveConversation> {
    const paths = this.pathsOf(conversationId)
    await this.#assertThere(conversationId, paths)
    await this.#locks.take(conversationId, paths)
    const shipment = await this.#take(paths, conversationId, 'stored')
    const adopting = { settle, shipment, ...(overrides === undefined ? {} : { overrides }) }
    return this.#inTurn(() => this.#load(conversationId, adopting))
  }

  /** Opens the log of a conversation that this server may write. */
  async #load(conversationId: ConversationId, adopting: Adopting): Promise<LiveConversation> {
    const { shipment, overrides } = adopting
    let loaded: LoadedConversation
    try {
      const { files, setup } = this.#ports
      const owner = shipment === null ? null : ownerOf(conversationId, shipment)
      const takeEnvironment = (state: ConversationState) => setup.takeEnvironment(state, owner, overrides)
      const ports = { files, takeEnvironment, checkpoints: setup.checkpoints, goesOn: shipment !== null }
      loaded = await loadConversation(ports, this.pathsOf(conversationId), conversationId)
    } catch (error) {
      await giveUp(shipment)
      this.release(conversationId)
      throw error
    }
    return this.#adopt(conversationId, loaded, adopting)
  }

  async #assertThere(conversationId: ConversationId, paths: SessionPaths): Promise<void> {
    if (this.#ports.files.look(paths.log) !== null || (await this.#ports.catalogue.has(conversationId))) return
    throw noConversation(conversationId)
  }

  /** Takes a conversation of the store, if there is one. On failure its lock is released. */
  async #take(paths: SessionPaths, conversationId: ConversationId, kind: 'new' | 'stored'): Promise<Shipment | null> {
    try {
      return await this.#ports.sharing.take(paths, conversationId, kind)
    } catch (error) {
      this.release(conversationId)
      throw error
    }
  }

  /** Brings the copy of a conversation of the store up to date, unless a process of this machine has it open. */
  async refresh(conversationId: ConversationId): Promise<void> {
    const paths = this.pathsOf(conversationId)
    const isOurs = await this.#locks.take(conversationId, paths).then(
      () => true,
      () => false,
    )
    if (!isOurs) return
    try {
      await this.#ports.sharing.refresh(paths, conversationId)
    } finally {
      this.release(conversationId)
    }
  }

  /** Opens a conversation read-only, without its lock. */
  async view(conversationId: ConversationId): Promise<LiveConversation> {
    const { files, setup } = this.#ports
    const viewing = { conversationId, checkpoints: setup.checkpoints }
    await this.refresh(conversationId)
    const loaded = await viewConversation(files, this.pathsOf(conversationId), viewing)
    return this.#keep(conversationId, this.#loadedParts(conversationId, loaded), null)
  }

  /** Copies the lines up to `at` into a new log, and opens that; the source is only read. */
  async fork({ fromId, from, forkId, at, settings, rescued, leftOut, guest }: Copy): Promise<LiveConversation> {
    const { files, home, setup, catalogue } = this.#ports
    const to = this.pathsOf(forkId)
    await this.#locks.take(forkId, to)
    const shipment = await this.#take(to, forkId, 'new')
    try {
      const secrets = await setup.secrets()
      const copy = { from, to, fromId, toId: forkId, at, home, key: setup.checkpoints.key }
      await (rescued === null ? forkLog(files, copy) : forkRescued(files, copy, rescued))
      const { checkpoints } = setup
      const takeEnvironment = (state: ConversationState) => setup.takeEnvironment(asCopyOf(state, guest), null)
      const loaded = await loadConversation({ files, takeEnvironment, checkpoints, goesOn: false }, to, forkId)
      if (rescued !== null && at === null) assertRescued(loaded.begin.fold.state, rescued.digest)
      const names = await takenNames(readableCatalogue(catalogue, guest.rights))
      const renamed = ownName(loaded.begin.fold.state, names, { evenIfFree: true })
      const settle: Settle = (state) => [
        ...accessOfCopy(state, guest),
        ...setup.settings.forked(fromId, settings, secrets)(state),
        ...renamed,
        ...leftOut,
      ]
      return await this.#adopt(forkId, loadedCopy(loaded, guest), { settle, shipment })
    } catch (error) {
      await giveUp(shipment)
      removeSession(files, to)
      this.release(forkId)
      throw error
    }
  }

  /** Makes a new conversation of a bundle, which works in `cwd`; `load` opens it. Rejects with `badBundle`. */
  async importBundle(conversationId: ConversationId, { params, guest }: Asked<'bundle/open'>): Promise<void> {
    const { files, home, setup, catalogue, sharing } = this.#ports
    const { file, cwd } = params
    const paths = this.pathsOf(conversationId)
    const imported = setup.settings.imported(existingFolder(cwd), await setup.secrets())
    const settle = async (state: ConversationState) => {
      const names = await takenNames(catalogue)
      return [...accessOfCopy(state, guest), ...imported(state), ...ownName(state, names, { evenIfFree: false })]
    }
    const { importBundle } = await import('../bundle/import-bundle.ts')
    await this.#locks.take(conversationId, paths)
    try {
      await importBundle(files, { file, conversationId, paths, home, settle, now: () => setup.clock.now() })
      await sharing.publish(paths, conversationId)
    } catch (error) {
      removeSession(files, paths)
      throw error
    } finally {
      this.release(conversationId)
    }
  }

  /** Removes a conversation after `end` has closed it. The lock is held meanwhile, so that no process opens it. */
  async remove(
    conversationId: ConversationId,
    live: LiveConversation | undefined,
    end: () => Promise<void>,
  ): Promise<void> {
    const { files, sharing } = this.#ports
    const paths = live?.paths ?? this.pathsOf(conversationId)
    await this.#assertThere(conversationId, paths)
    if (live === undefined || live.conversation.readOnly) await this.#locks.take(conversationId, paths)
    // An ephemeral conversation is in no store.
    const isShared = paths.log === this.pathsOf(conversationId).log
    await deleteStored(files, { paths, conversationId, end, removeShared: isShared ? sharing.remove : null }).finally(
      () => this.release(conversationId),
    )
  }

  release(conversationId: ConversationId): void {
    this.#locks.release(conversationId)
  }

  /** Announces where other processes can join; null withdraws the address. */
  announce(socket: string | null): void {
    this.#locks.announce(socket)
  }

  /** Returns the paths of a conversation that is not ephemeral. Throws `conversationNotFound` for no id. */
  pathsOf(conversationId: ConversationId): SessionPaths {
    const paths = sessionPaths(this.#ports.home, conversationId)
    if (paths !== null) return paths
    throw rejection('conversationNotFound', `"${conversationId}" is not a conversation id.`)
  }

  /** Opens a conversation that was loaded under its lock, and records its recovery and changes. */
  async #adopt(
    conversationId: ConversationId,
    loaded: LoadedConversation,
    { settle, shipment, overrides }: Adopting,
  ): Promise<LiveConversation> {
    let changes: readonly ConversationEvent[]
    try {
      if (loaded.begin.fold.state.core.seq === 0) throw emptyLog(conversationId)
      changes = settle(loaded.begin.fold.state)
    } catch (error) {
      await loaded.release()
      loaded.begin.lines[Symbol.dispose]()
      await loaded.log?.[Symbol.asyncDispose]()
      await giveUp(shipment)
      this.release(conversationId)
      throw error
    }
    const opening = this.#loadedParts(conversationId, loaded, overrides)
    const open = await this.#keep(conversationId, opening, loaded.log === null ? null : shipment)
    if (loaded.log === null) {
      await giveUp(shipment)
      this.release(conversationId)
      return open
    }
    try {
      const events = [
        ...loaded.recovery,
        ...changes,
        ...lostBackground(open.conversation, loaded.runningOn, open.roles.record.ids.item),
        ...lostForwards(open.conversation),
      ]
      if (events.length > 0) open.conversation.recordAll(events)
      open.roles.act.limits.recordEnforcement()
      open.conversation.opened()
      open.takeUp()
      return open
    } catch (error) {
      await this.#ports.open.close(conversationId)
      throw error
    }
  }

  #loadedParts(
    conversationId: ConversationId,
    loaded: LoadedConversation,
    overrides: Overrides = {},
  ): OpenConversation {
    return loadedParts(this.#ports.files, {
      paths: this.pathsOf(conversationId),
      loaded,
      overrides,
      checkpoints: this.#ports.setup.checkpoints,
    })
  }

  async #keep(
    conversationId: ConversationId,
    opening: OpenConversation,
    shipment: Shipment | null,
  ): Promise<LiveConversation> {
    const { parts } = opening
    const { setup } = this.#ports
    const log = shipment === null ? opening.log : shareLog(opening, shipment, setup.carriedGrants)
    try {
      const open = await setup.open({ parts, log })
      this.#ports.open.set(conversationId, open)
      warmUpInPause(open)
      return open
    } catch (error) {
      await log.journal?.close(() => null)
      log.dispose()
      this.release(conversationId)
      throw error
    }
  }
}
