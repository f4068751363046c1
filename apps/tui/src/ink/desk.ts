import { ConnectionClosed, RpcError } from '@parley/rpc'
import type { Connection } from '../cli/connect.ts'
import type { Launch } from '../main.ts'
import type { Intent } from '../ui/intent.ts'
import type { Said } from '../view/said.ts'
import { isWanted, openWanted } from './open-wanted.ts'
import { note, perform } from './perform.ts'
import {
  earlierNote,
  greeting,
  isResumable,
  link,
  openSession,
  readBranch,
  type Session,
  sayFarewell,
} from './session.ts'
import type { Stage } from './stage.ts'
import { type Begun, begin, createConversation, type Extra, type Start, unlessElsewhere } from './start.ts'

export interface DeskParts {
  readonly launch: Launch
  readonly start: Start
  readonly extra: Extra
  readonly stage: Stage
  readonly homeFolder: string
  /** The user leaves, or what the command line asked for was refused. */
  readonly onEnd: (refusal: RpcError | null) => void
}

/** The connection to the server and the conversation that is open by it. */
export class Desk implements AsyncDisposable {
  readonly #parts: DeskParts
  #connection: Connection | null = null
  #session: Session | null = null
  #context: object | null = null
  #closing = false

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  /** The short id that `resume` takes; null when nothing is kept. */
  get resumable(): string | null {
    const session = this.#session
    return session !== null && isResumable(session, this.#isEphemeral) ? session.summary.shortId : null
  }

  async begin(): Promise<void> {
    const { start, extra, launch, onEnd } = this.#parts
    try {
      const connection = await this.#link(launch)
      await this.#take(await begin(connection.client, start, extra))
    } catch (error) {
      if (error instanceof ConnectionClosed) this.#lose()
      else if (error instanceof RpcError) onEnd(error)
      else throw error
    }
  }

  /** What the user wants. A refusal is said on the screen. */
  async perform(intent: Intent): Promise<void> {
    if (intent.kind === 'leave') return this.#parts.onEnd(null)
    try {
      if (intent.kind === 'restart') await this.#restart()
      else await this.#ask(intent)
    } catch (error) {
      if (error instanceof ConnectionClosed) this.#lose()
      else if (error instanceof RpcError) this.#parts.stage.dispatch(note('error', error.message))
      else throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    if (this.#connection !== null) await sayFarewell(this.#connection)
  }

  get #isEphemeral(): boolean {
    return this.#parts.start.flags.ephemeral === true
  }

  async #ask(intent: Exclude<Intent, { kind: 'restart' | 'leave' }>): Promise<void> {
    const connection = this.#connection
    if (connection === null) return
    const { client } = connection
    const { stage, start, extra } = this.#parts
    const store = this.#session?.store
    if (isWanted(intent)) {
      const around = { flags: start.flags, extra, cwd: store?.state.core.meta.cwd }
      return this.#take(await openWanted(client, intent, around))
    }
    await perform(intent, {
      client,
      conversationId: store?.conversationId ?? '',
      state: store?.state ?? null,
      refresh: () => store?.refresh() ?? Promise.resolve(),
      dispatch: (...actions) => stage.dispatch(...actions),
    })
  }

  async #link(launch: Launch): Promise<Connection> {
    const { stage } = this.#parts
    const connection = await link(launch, (message, level) => stage.dispatch(note(level, message)))
    this.#connection = connection
    void connection.client.closed.then(() => {
      if (this.#connection === connection) this.#lose()
    })
    const { client, server } = connection
    stage.dispatch({ kind: 'linked', clientId: client.server.clientId, serverPid: server.pid ?? null })
    return connection
  }

  #lose(): void {
    this.#connection = null
    if (!this.#closing) this.#parts.stage.dispatch({ kind: 'lost' })
  }

  /** A new server goes on with the same conversation; one that was never saved begins anew. */
  async #restart(): Promise<void> {
    const { launch, start, extra } = this.#parts
    const before = this.#session
    const { client } = await this.#link({ ...launch, early: null })
    if (before === null) return this.#take(await begin(client, start, extra))
    if (isResumable(before, this.#isEphemeral)) {
      const { conversationId } = before.summary
      return this.#take(await unlessElsewhere(client.request('conversation/resume', { conversationId })))
    }
    await this.#take({ kind: 'open', summary: await createConversation(client, start.flags, extra), said: [] })
  }

  async #take(begun: Begun): Promise<void> {
    const { stage } = this.#parts
    if (begun.kind === 'open') return this.#show(begun.summary, begun.said)
    if (begun.kind === 'pick') stage.dispatch({ kind: 'pick' })
    else stage.dispatch(begun)
  }

  async #show(summary: Session['summary'], said: readonly Said[]): Promise<void> {
    const connection = this.#connection
    if (connection === null) return
    const before = this.#session
    const session = await openSession(connection, summary, before)
    this.#session = session
    const opening = this.#openOn(session, before)
    const isLeft = before?.connection === connection && before.store !== session.store
    if (isLeft) void before.store.close().catch(() => undefined)
    session.store.subscribe(() => this.#follow(session))
    const { conversationId, shortId, readOnly } = summary
    const opened = { conversationId, shortId, readOnly, ephemeral: this.#isEphemeral }
    this.#parts.stage.dispatch(...[...opening, ...said].map((text) => ({ kind: 'say', said: text }) as const), {
      kind: 'opened',
      opened,
    })
    this.#follow(session)
  }

  /** What is said above the conversation; after a restart of its server only what was recovered. */
  #openOn(session: Session, before: Session | null): readonly Said[] {
    const { stage, launch, homeFolder } = this.#parts
    const { state } = session.store
    if (before?.store.conversationId !== session.store.conversationId) {
      const copied = session.summary.forkedFrom?.id
      const isOnScreen = copied !== undefined && copied === before?.store.conversationId
      const earlier = stage.open(state, { isOnScreen })
      return [...greeting(session, launch.program.version, homeFolder), ...(isOnScreen ? [] : earlierNote(earlier))]
    }
    stage.reopen(state)
    const { recovered } = session.summary
    return [{ kind: 'note', level: 'info', text: recovered ?? 'The server runs again.' }]
  }

  #follow(session: Session): void {
    if (session !== this.#session) return
    const { state } = session.store
    this.#parts.stage.follow(state)
    const { context } = state.core
    if (context === null || context === this.#context) return
    this.#context = context
    const locate = (branch: string | null) => this.#parts.stage.locate(branch)
    readBranch(session, context).then(locate, () => locate(null))
  }
}
