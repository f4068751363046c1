import { isAbsolute } from 'node:path'
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk'
import { codeOf, type Parley } from '@parley/client'
import type { CallersLimits } from '../callers-limits.ts'
import { AcpSession } from './session.ts'

export interface AcpParts {
  readonly parley: Parley
  readonly version: string
  readonly limits: Pick<CallersLimits, 'assertReachable' | 'assertOverrides'>
  readonly report: (fault: unknown) => void
}

/** Serves ACP to one client until it is gone. Resolves when its sessions are closed. */
export async function serveAcp(stream: Stream, parts: AcpParts): Promise<void> {
  const sessions = new Sessions(parts)
  const gone = new AbortController()
  const connection = agentOf(sessions, parts, gone.signal).connect(stream)
  await ended(connection)
  gone.abort()
  await sessions.close().catch(parts.report)
}

async function ended({ closed }: AgentConnection): Promise<void> {
  // A broken pipe ends it as well.
  await closed.catch(() => undefined)
}

function agentOf(sessions: Sessions, { parley, version }: AcpParts, gone: AbortSignal) {
  const open = (client: AgentContext) => ({ client, gone })
  return agent({ name: 'parley' })
    .onRequest(methods.agent.initialize, () => introduction(version))
    .onRequest(methods.agent.session.new, ({ params: { cwd }, client }) =>
      told(async () => ({ sessionId: await sessions.create(cwd, open(client)) })),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      told(async () => {
        await (await sessions.open(params, open(client))).updates.replay()
        return {}
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      told(async () => {
        await sessions.open(params, open(client))
        return {}
      }),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      told(async () => {
        const page = { ...(cwd == null ? {} : { cwd }), ...(cursor == null ? {} : { cursor }) }
        const { conversations, nextCursor } = await parley.list(page)
        return { sessions: conversations.map(sessionInfo), nextCursor }
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      told(() => sessions.get(params.sessionId).prompt(params, signal)),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      told(async () => {
        await sessions.closeOne(sessionId)
        return {}
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.find(sessionId)?.cancel())
}

function introduction(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'parley', title: 'parley', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  }
}

type Listed = Awaited<ReturnType<Parley['list']>>['conversations'][number]

function sessionInfo({ conversationId, cwd, name, title, updatedAt }: Listed) {
  return { sessionId: conversationId, cwd, title: name ?? title, updatedAt: new Date(updatedAt).toISOString() }
}

interface Opening {
  readonly client: AgentContext
  readonly gone: AbortSignal
}

/** Open sessions of one client, by id. */
class Sessions {
  readonly #parley: Parley
  readonly #limits: AcpParts['limits']
  readonly #open = new Map<string, AcpSession>()

  constructor({ parley, limits }: AcpParts) {
    this.#parley = parley
    this.#limits = limits
  }

  find(sessionId: string): AcpSession | undefined {
    return this.#open.get(sessionId)
  }

  get(sessionId: string): AcpSession {
    const session = this.find(sessionId)
    if (session === undefined) throw unknownSession(sessionId)
    return session
  }

  async create(cwd: string, { client, gone }: Opening): Promise<string> {
    assertAbsolute(cwd)
    const conversation = await this.#parley.create({ cwd })
    this.#open.set(conversation.id, new AcpSession(conversation, client, gone))
    return conversation.id
  }

  /** Opens a conversation by its whole id, in the folder of the client. One that is open here begins anew. */
  async open({ sessionId, cwd }: { sessionId: string; cwd: string }, { client, gone }: Opening): Promise<AcpSession> {
    assertAbsolute(cwd)
    await this.closeOne(sessionId)
    const known = await this.#parley.resume(sessionId)
    try {
      if (known.id !== sessionId) throw unknownSession(sessionId)
      await this.#limits.assertReachable(known.state.core)
      await this.#limits.assertOverrides({ cwd }, known.state.core.settings)
    } catch (error) {
      await known.close()
      throw error
    }
    const moved = known.state.core.meta.cwd !== cwd
    const conversation = moved ? await this.#parley.resume(sessionId, { overrides: { cwd } }) : known
    const session = new AcpSession(conversation, client, gone)
    this.#open.set(sessionId, session)
    return session
  }

  async closeOne(sessionId: string): Promise<void> {
    const session = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    await session?.close()
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((id) => this.closeOne(id)))
  }
}

function assertAbsolute(cwd: string): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, `The folder must be an absolute path: ${cwd}`)
}

function unknownSession(sessionId: string): RequestError {
  return new RequestError(-32002, `There is no open session ${sessionId}.`, { sessionId })
}

/** Runs a request. What the server rejects reaches the client with its words, not as an internal error without any. */
async function told<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === null || !(error instanceof Error)) throw error
    throw new RequestError(code === 'conversationNotFound' ? -32002 : -32603, error.message, { code })
  }
}
