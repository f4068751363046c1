import {
  type AgentConnection,
  type AgentContext,
  type AnyMessage,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk'
import { codeOf, type Parley } from '@parley/client'
import type { EditorServers } from '@parley/engine'
import type { ListedConversation } from '@parley/protocol'
import type { CallersLimits } from '../callers-limits.ts'
import type { OfferedTexts } from './offered-texts.ts'
import { Sessions } from './sessions.ts'
import { offeredModels } from './settings/model-options.ts'

export interface AcpParts {
  readonly parley: Parley
  readonly version: string
  readonly limits: CallersLimits
  readonly now: () => number
  readonly texts: OfferedTexts
  readonly servers: EditorServers
  readonly report: (fault: unknown) => void
}

/** Serves ACP to one client until it is gone. Resolves when its sessions are closed. */
export async function serveAcp(stream: Stream, parts: AcpParts): Promise<void> {
  const models = offeredModels(parts.parley, parts.now)
  const { parley, texts, servers, limits } = parts
  const sessions = new Sessions({ parley, models, texts, servers, limits })
  const gone = new AbortController()
  const connection = agentOf(sessions, parts, gone.signal).connect(limitOpenRequests(stream))
  await ended(connection)
  gone.abort()
  await sessions.close().catch(parts.report)
}

async function ended({ closed }: AgentConnection): Promise<void> {
  // A broken pipe ends it as well.
  await closed.catch(() => undefined)
}

function agentOf(sessions: Sessions, { parley, version }: AcpParts, gone: AbortSignal) {
  let capabilities: ClientCapabilities = {}
  const open = (client: AgentContext, mcpServers: readonly McpServer[] = []) => {
    return { client, capabilities, gone, mcpServers }
  }
  return agent({ name: 'parley' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return introduction(version)
    })
    .onRequest(methods.agent.session.new, ({ params: { cwd, mcpServers }, client }) =>
      answerRequest(async () => {
        const session = await sessions.create(cwd, open(client, mcpServers))
        session.begin()
        return { sessionId: session.conversation.id, ...session.settings() }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      answerRequest(async () => {
        const session = await sessions.open(params, open(client, params.mcpServers))
        await session.updates.replay()
        session.begin()
        return session.settings()
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      answerRequest(async () => {
        const session = await sessions.open(params, open(client, params.mcpServers))
        session.begin()
        return session.settings()
      }),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      answerRequest(async () => {
        const page = { ...(cwd == null ? {} : { cwd }), ...(cursor == null ? {} : { cursor }) }
        const { conversations, nextCursor } = await parley.list(page)
        return { sessions: conversations.map(sessionInfo), nextCursor }
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answerRequest(() => sessions.get(params.sessionId).prompt(params, signal)),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) =>
      answerRequest(async () => {
        await sessions.get(sessionId).setMode(modeId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      answerRequest(async () => {
        const session = sessions.get(sessionId)
        await session.setOption(configId, value)
        return { configOptions: session.settings().configOptions }
      }),
    )
    .onRequest(methods.agent.session.close, ({ params: { sessionId } }) =>
      answerRequest(async () => {
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
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    },
    authMethods: [],
  }
}

function sessionInfo({ conversationId, cwd, name, title, updatedAt }: ListedConversation) {
  return { sessionId: conversationId, cwd, title: name ?? title, updatedAt: new Date(updatedAt).toISOString() }
}

/** Runs a request. An error of the server reaches the client with its words, not as an internal error without any. */
async function answerRequest<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === null || !(error instanceof Error)) throw error
    throw new RequestError(code === 'conversationNotFound' ? -32002 : -32603, error.message, { code })
  }
}

/** Open requests that a client may have; their answers wait in memory while it does not read. */
const mostOpen = 1_000

/** Ends the stream of a client with too many unanswered requests. */
function limitOpenRequests({ readable, writable }: Stream): Stream {
  let open = 0
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) open++
      if (open > mostOpen) controller.error(new RangeError(`the client has more than ${mostOpen} open requests`))
      else controller.enqueue(message)
    },
  })
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      const writer = writable.getWriter()
      try {
        await writer.write(message)
      } finally {
        writer.releaseLock()
      }
      if (!('method' in message)) open--
    },
  })
  return { readable: readable.pipeThrough(incoming), writable: outgoing }
}
