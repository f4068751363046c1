import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actor, ConversationEvent, Overrides, ParamsOf, ResultOf } from '@parley/protocol'
import { initialState } from '@parley/protocol'
import { createModelView } from '../core/model-view.ts'
import { EventLog } from '../log/event-log.ts'
import type { Files } from '../log/files.ts'
import { newHeader } from '../log/header.ts'
import { WriterLock } from '../log/lock.ts'
import { thisProcess } from '../log/owner.ts'
import { type SessionPaths, sessionPaths } from '../log/session-paths.ts'
import type { Ids } from '../ports/ids.ts'
import { findConversation } from './find-conversation.ts'
import { forkLog } from './fork-log.ts'
import { createJournal, createViewJournal } from './journal.ts'
import { listConversations } from './list-conversations.ts'
import { type LoadedConversation, loadConversation, viewConversation } from './load-conversation.ts'
import type { OpenConversation } from './open-conversation.ts'
import type { Opener, OpenParts } from './opener.ts'
import { refusal } from './refusal.ts'
import { createSideFiles } from './side-files.ts'

/** Opens, resumes, forks, lists and closes conversations; keeps one writer per conversation. */
export class ConversationHost implements AsyncDisposable {
  readonly #files: Files
  readonly #home: string
  readonly #ids: Ids
  readonly #opener: Opener
  readonly #open = new Map<string, OpenConversation>()
  readonly #created = new Map<string, string>()
  readonly #locks = new Map<string, WriterLock>()

  constructor({ files, home, ids, opener }: { files: Files; home: string; ids: Ids; opener: Opener }) {
    this.#files = files
    this.#home = home
    this.#ids = ids
    this.#opener = opener
  }

  get conversations(): readonly OpenConversation[] {
    return [...this.#open.values()]
  }

  /** A conversation that is open here. */
  get(conversationId: string): OpenConversation {
    const open = this.#open.get(conversationId)
    if (open === undefined)
      throw refusal('conversationNotFound', `Conversation ${conversationId} is not open here. Resume it first.`)
    return open
  }

  async create(params: ParamsOf<'conversation/create'>): Promise<OpenConversation> {
    const { requestKey } = params
    const known = requestKey === undefined ? undefined : this.#open.get(this.#created.get(requestKey) ?? '')
    if (known !== undefined) return known
    const created = this.#opener.settle(params)
    const conversationId = this.#ids.conversation()
    const home = params.ephemeral === true ? temporaryHome() : this.#home
    const paths = this.#pathsOf(conversationId, home)
    this.#lock(conversationId, paths)
    const start = initialState(conversationId)
    const meta = { ...start.core.meta, cwd: created.cwd }
    const state = { ...start, core: { ...start.core, meta, settings: created.settings } }
    const open = await this.#keep(conversationId, {
      state,
      view: createModelView(),
      headCrc: null,
      nextSeq: 1,
      readOnly: false,
      journal: null,
      startJournal: () =>
        createJournal(
          this.#files,
          EventLog.create(this.#files, paths.log, { header: newHeader(conversationId), home }),
        ),
      sideFiles: createSideFiles(this.#files, paths.sideFiles),
      recovered: null,
      warnings: created.warnings,
      overrides: params,
      dispose: () => {
        if (params.ephemeral === true) rmSync(home, { recursive: true, force: true })
      },
    })
    if (requestKey !== undefined) this.#created.set(requestKey, conversationId)
    return open
  }

  async resume(params: ParamsOf<'conversation/resume'>, by: Actor): Promise<OpenConversation> {
    const conversationId = await findConversation(this.#files, this.#home, params)
    const known = this.#open.get(conversationId)
    if (known !== undefined && (!known.conversation.readOnly || params.readOnly === true)) return known
    const paths = this.#pathsOf(conversationId, this.#home)
    if (params.readOnly === true)
      return this.#keepLoaded(conversationId, paths, viewConversation(this.#files, paths, conversationId))
    this.#lock(conversationId, paths)
    try {
      const loaded = await loadConversation(this.#files, paths, conversationId)
      const open = await this.#keepLoaded(conversationId, paths, loaded, params.overrides)
      const changes = this.#opener.resettle(loaded.fold.state, params.overrides ?? {}, by)
      const events: ConversationEvent[] = [...loaded.recovery, ...changes]
      if (!open.conversation.readOnly && events.length > 0) open.conversation.recordAll(events)
      return open
    } catch (error) {
      await this.#close(conversationId)
      throw error
    }
  }

  /** Copies the raw lines up to `at`; the source may be live anywhere, it is only read. */
  async fork(conversationId: string, at: number | null): Promise<OpenConversation> {
    const from = this.#pathsOf(conversationId, this.#home)
    const forkId = this.#ids.conversation()
    const to = this.#pathsOf(forkId, this.#home)
    await this.#open.get(conversationId)?.conversation.synced()
    this.#lock(forkId, to)
    try {
      await forkLog(this.#files, { from, to, fromId: conversationId, toId: forkId, at, home: this.#home })
      const loaded = await loadConversation(this.#files, to, forkId)
      const open = await this.#keepLoaded(forkId, to, { ...loaded, recovery: [] })
      const settling = this.#opener.settleFork(loaded.fold.state)
      if (settling.length > 0) open.conversation.recordAll(settling)
      return open
    } catch (error) {
      await this.#close(forkId)
      throw error
    }
  }

  list(params: ParamsOf<'conversation/list'>): Promise<ResultOf<'conversation/list'>> {
    return listConversations(this.#files, this.#home, params)
  }

  /** Runs on the open conversation, or opens it for just this. */
  async withConversation<Result>(conversationId: string, run: (open: OpenConversation) => Result): Promise<Result> {
    const known = this.#open.get(conversationId)
    if (known !== undefined) return run(known)
    const open = await this.resume({ conversationId }, { clientId: 'server', name: 'parley' })
    try {
      return run(open)
    } finally {
      await this.#close(conversationId)
    }
  }

  async delete(conversationId: string): Promise<void> {
    const open = this.#open.get(conversationId)
    if (open?.conversation.state.core.turn != null)
      throw refusal('turnInProgress', 'A turn is open in it. Interrupt it first.')
    const paths = this.#pathsOf(conversationId, this.#home)
    if (this.#files.look(paths.log) === null)
      throw refusal('conversationNotFound', `There is no conversation ${conversationId}.`)
    if (open === undefined) this.#lock(conversationId, paths)
    await this.#close(conversationId)
    for (const path of [paths.log, paths.checkpoint, paths.sideFiles]) rmSync(path, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.keys()].map((conversationId) => this.#close(conversationId)))
  }

  #keepLoaded(
    conversationId: string,
    paths: SessionPaths,
    loaded: LoadedConversation,
    overrides: Overrides = {},
  ): Promise<OpenConversation> {
    const { fold, headCrc, nextSeq, log, recovery, warnings } = loaded
    const [recovered] = recovery
    return this.#keep(conversationId, {
      state: fold.state,
      view: fold.view,
      headCrc,
      nextSeq,
      readOnly: log === null,
      journal: log === null ? createViewJournal(this.#files, paths.log) : createJournal(this.#files, log),
      sideFiles: createSideFiles(this.#files, paths.sideFiles),
      recovered: recovered?.type === 'conversation.recovered' ? recovered.text : null,
      warnings,
      overrides,
      dispose: () => undefined,
    })
  }

  async #keep(conversationId: string, parts: OpenParts): Promise<OpenConversation> {
    const open = await this.#opener.open(parts)
    this.#open.set(conversationId, open)
    return open
  }

  #lock(conversationId: string, paths: SessionPaths): void {
    const owner = thisProcess(this.#files, { program: this.#opener.program, socket: null })
    const lock = WriterLock.tryAcquire(this.#files, paths, owner)
    if (lock instanceof WriterLock) {
      this.#locks.set(conversationId, lock)
      return
    }
    const pid = lock.heldBy?.pid
    throw refusal(
      'liveElsewhere',
      `Conversation ${conversationId} is open in ${pid === undefined ? 'another process' : `process ${pid}`}. View it read-only, or fork it.`,
      {
        conversationId,
        socket: null,
        ...(pid === undefined ? {} : { pid }),
      },
    )
  }

  async #close(conversationId: string): Promise<void> {
    const open = this.#open.get(conversationId)
    this.#open.delete(conversationId)
    try {
      await open?.[Symbol.asyncDispose]()
    } finally {
      this.#locks.get(conversationId)?.[Symbol.dispose]()
      this.#locks.delete(conversationId)
    }
  }

  #pathsOf(conversationId: string, home: string): SessionPaths {
    const paths = sessionPaths(home, conversationId)
    if (paths === null) throw refusal('conversationNotFound', `"${conversationId}" is not a conversation id.`)
    return paths
  }
}

function temporaryHome(): string {
  return mkdtempSync(join(tmpdir(), 'parley-ephemeral-'))
}
