import { isAbsolute } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import { resumeOrView } from '../resume-or-view.ts'
import { AcpSession, type SessionClient, type SessionServices } from './session.ts'

/** Open sessions of one client, by id. */
export class Sessions {
  readonly #services: SessionServices
  readonly #open = new Map<string, AcpSession>()

  constructor(services: SessionServices) {
    this.#services = services
  }

  find(sessionId: string): AcpSession | undefined {
    return this.#open.get(sessionId)
  }

  /** Throws for a session that is not open here. */
  get(sessionId: string): AcpSession {
    const session = this.find(sessionId)
    if (session === undefined) throw unknownSession(sessionId)
    return session
  }

  async create(cwd: string, client: SessionClient): Promise<AcpSession> {
    assertAbsolute(cwd)
    const { parley, models } = this.#services
    const conversation = await parley.create({ cwd })
    await models.load()
    const session = new AcpSession(conversation, client, this.#services)
    this.#open.set(conversation.id, session)
    return session
  }

  /** Opens a conversation by its whole id, in the folder of the client. One that is open here begins anew. */
  async open({ sessionId, cwd }: { sessionId: string; cwd: string }, client: SessionClient): Promise<AcpSession> {
    assertAbsolute(cwd)
    const { parley, limits, models } = this.#services
    await this.closeOne(sessionId)
    const known = await resumeOrView(parley, sessionId)
    try {
      if (known.id !== sessionId) throw unknownSession(sessionId)
      await limits.assertReachable(known.state.core)
      await limits.assertOverrides({ cwd }, known.state.core.settings)
    } catch (error) {
      await known.close()
      throw error
    }
    const moved = !known.readOnly && known.state.core.meta.cwd !== cwd
    const conversation = moved ? await parley.resume(sessionId, { overrides: { cwd } }) : known
    await models.load()
    const session = new AcpSession(conversation, client, this.#services)
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
