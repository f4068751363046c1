import {
  deleteSession,
  type Files,
  removeSession,
  type SessionPaths,
  StorageError,
  sessionPaths,
  UnfinishedDeletionError,
} from '@parley/journal'
import {
  backgroundLost,
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  type Overrides,
  type ParamsOf,
  type Settings,
} from '@parley/protocol'
import { lostTitle } from '../../core/background-left.ts'
import { rejection } from '../../replies/rejection.ts'
import { noticeItem } from '../conversation/notices.ts'
import { takenNames } from '../read/list-conversations.ts'
import { existingFolder } from '../settings/existing-folder.ts'
import {
  type LoadedConversation,
  loadConversation,
  loadedParts,
  newParts,
  type OpenParts,
  viewConversation,
} from './conversation-parts.ts'
import type { ConversationSetup, Settle } from './conversation-setup.ts'
import { forkLog, forkRescued, ownName } from './fork.ts'
import type { LiveConversation } from './live-conversation.ts'
import type { OpenConversations } from './open-conversations.ts'
import type { RescuedLog } from './rescue-log.ts'
import { warmUpInPause } from './warm-up.ts'
import { createWriterLocks, type WriterLocks } from './writer-locks.ts'

interface Ports {
  readonly files: Files
  readonly home: string
  readonly setup: ConversationSetup
  /** Takes each conversation as it opens, and closes it when its recovery cannot be recorded. */
  readonly open: OpenConversations
}

interface Copy {
  readonly fromId: ConversationId
  readonly from: SessionPaths
  readonly forkId: ConversationId
  /** Last event to copy; null for all of them. */
  readonly at: number | null
  /** Settings of an original that is open in this process; else null. */
  readonly settings: Settings | null
  /** Events of an original whose log others have changed; else null. */
  readonly rescued: RescuedLog | null
}

/** Conversations on disk, each opened under its writer lock. An opening that fails releases the lock. */
export class StoredConversations {
  readonly #ports: Ports
  readonly #locks: WriterLocks

  constructor(ports: Ports) {
    this.#ports = ports
    this.#locks = createWriterLocks(ports.files, ports.setup.program)
  }

  async create(conversationId: ConversationId, params: ParamsOf<'conversation/create'>): Promise<LiveConversation> {
    const { files, home, setup } = this.#ports
    const created = setup.initialSettings(params, await setup.secrets())
    const onStart = () => setup.keepNew(conversationId, params, created)
    const { processes, checkpoints } = setup
    const parts = newParts(files, { conversationId, home, params, created, onStart, processes, checkpoints })
    await this.#locks.take(conversationId, parts.paths)
    return this.#keep(conversationId, parts)
  }

  /** Opens a conversation from its log. Records its recovery, then the events of `settle`. */
  async load(conversationId: ConversationId, settle: Settle, overrides?: Overrides): Promise<LiveConversation> {
    const paths = this.pathsOf(conversationId)
    if (this.#ports.files.look(paths.log) === null) throw notThere(conversationId)
    await this.#locks.take(conversationId, paths)
    let loaded: LoadedConversation
    try {
      const { files, setup } = this.#ports
      const takeEnvironment = (state: ConversationState) => setup.takeEnvironment(state, overrides)
      loaded = await loadConversation({ files, takeEnvironment, checkpoints: setup.checkpoints }, paths, conversationId)
    } catch (error) {
      this.release(conversationId)
      throw error
    }
    return this.#adopt(conversationId, loaded, { settle, ...(overrides === undefined ? {} : { overrides }) })
  }

  /** Opens a conversation read-only, without its lock. */
  async view(conversationId: ConversationId): Promise<LiveConversation> {
    const { files, setup } = this.#ports
    const viewing = { conversationId, checkpoints: setup.checkpoints }
    const loaded = await viewConversation(files, this.pathsOf(conversationId), viewing)
    return this.#keep(conversationId, this.#loadedParts(conversationId, loaded))
  }

  /** Copies the lines up to `at` into a new log, and opens that; the source is only read. */
  async fork({ fromId, from, forkId, at, settings, rescued }: Copy): Promise<LiveConversation> {
    const { files, home, setup } = this.#ports
    const to = this.pathsOf(forkId)
    await this.#locks.take(forkId, to)
    try {
      const secrets = await setup.secrets()
      const copy = { from, to, fromId, toId: forkId, at, home, key: setup.checkpoints.key }
      await (rescued === null ? forkLog(files, copy) : forkRescued(files, copy, rescued))
      const loaded = await loadConversation(
        { files, takeEnvironment: setup.takeEnvironment, checkpoints: setup.checkpoints },
        to,
        forkId,
      )
      if (rescued !== null && at === null) assertRescued(loaded, rescued)
      const renamed = ownName(loaded.begin.fold.state, await takenNames(files, home), { evenIfFree: true })
      const settle: Settle = (state) => [...setup.forked(fromId, settings, secrets)(state), ...renamed]
      return await this.#adopt(forkId, { ...loaded, recovery: [] }, { settle })
    } catch (error) {
      removeSession(files, to)
      this.release(forkId)
      throw error
    }
  }

  /** Makes a new conversation of a bundle, which works in `cwd`; `load` opens it. Rejects with `badBundle`. */
  async importBundle(conversationId: ConversationId, { file, cwd }: ParamsOf<'bundle/open'>): Promise<void> {
    const { files, home, setup } = this.#ports
    const paths = this.pathsOf(conversationId)
    const imported = setup.imported(existingFolder(cwd), await setup.secrets())
    const settle = async (state: ConversationState) => {
      const names = await takenNames(files, home)
      return [...imported(state), ...ownName(state, names, { evenIfFree: false })]
    }
    const { importBundle } = await import('../bundle/import-bundle.ts')
    await this.#locks.take(conversationId, paths)
    try {
      await importBundle(files, { file, conversationId, paths, home, settle, now: () => setup.clock.now() })
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
    const { files } = this.#ports
    const paths = live?.paths ?? this.pathsOf(conversationId)
    if (files.look(paths.log) === null) throw notThere(conversationId)
    if (live === undefined || live.conversation.readOnly) await this.#locks.take(conversationId, paths)
    try {
      await end()
    } catch (error) {
      // A failed save does not matter: the log is deleted next.
      if (!(error instanceof StorageError)) throw error
    }
    try {
      await deleteSession(files, paths)
    } catch (error) {
      throw notDeleted(error)
    } finally {
      this.release(conversationId)
    }
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
    { settle, overrides }: { settle: Settle; overrides?: Overrides },
  ): Promise<LiveConversation> {
    let changes: readonly ConversationEvent[]
    try {
      if (loaded.begin.fold.state.core.seq === 0) throw emptyLog(conversationId)
      changes = settle(loaded.begin.fold.state)
    } catch (error) {
      loaded.begin.lines[Symbol.dispose]()
      await loaded.log?.[Symbol.asyncDispose]()
      this.release(conversationId)
      throw error
    }
    const open = await this.#keep(conversationId, this.#loadedParts(conversationId, loaded, overrides))
    if (loaded.log === null) {
      this.release(conversationId)
      return open
    }
    try {
      const events = [...loaded.recovery, ...changes, ...lostBackground(open)]
      if (events.length > 0) open.conversation.recordAll(events)
      open.modules.limits.recordEnforcement()
      open.conversation.opened()
      return open
    } catch (error) {
      await this.#ports.open.close(conversationId)
      throw error
    }
  }

  #loadedParts(conversationId: ConversationId, loaded: LoadedConversation, overrides: Overrides = {}): OpenParts {
    return loadedParts(this.#ports.files, {
      paths: this.pathsOf(conversationId),
      loaded,
      overrides,
      checkpoints: this.#ports.setup.checkpoints,
    })
  }

  async #keep(conversationId: ConversationId, parts: OpenParts): Promise<LiveConversation> {
    try {
      const open = await this.#ports.setup.open(parts)
      this.#ports.open.set(conversationId, open)
      warmUpInPause(open)
      return open
    } catch (error) {
      await parts.journal?.close(() => null)
      parts.dispose()
      this.release(conversationId)
      throw error
    }
  }
}

/** Returns the notice that background commands of an earlier process no longer run; none where there were none. */
function lostBackground({ conversation, modules }: LiveConversation): ConversationEvent[] {
  const { background } = conversation.view
  if (background.size === 0) return []
  const notice = { level: 'warning', code: backgroundLost, title: lostTitle(background) } as const
  return [{ type: 'item.completed', item: noticeItem(modules.ids.item(), notice) }]
}

/** Builds the rejection of a deletion that failed, before or after the conversation was gone from every list. */
function notDeleted(error: unknown): unknown {
  if (error instanceof UnfinishedDeletionError)
    return rejection(
      'storageFailed',
      `The conversation is deleted, but not all of its files could be removed (${error.cause.message}). They are removed at the next start of parley.`,
      { errno: error.cause.code },
    )
  if (error instanceof StorageError)
    return rejection('storageFailed', `The conversation was not deleted (${error.message}); it is there as before.`, {
      errno: error.code,
    })
  return error
}

/** Throws `storageFailed` where lines of another writer have got into a rescued log. */
function assertRescued({ begin }: LoadedConversation, { digest }: RescuedLog): void {
  if (begin.fold.state.core.digest === digest) return
  throw rejection('storageFailed', 'The log was overwritten, and memory no longer holds the whole conversation.')
}

/** Builds the rejection for a log without events, which a crash leaves before the first one. */
function emptyLog(conversationId: ConversationId) {
  return rejection('conversationNotFound', `The log of conversation ${conversationId} holds no event.`)
}

function notThere(conversationId: ConversationId) {
  return rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
}
