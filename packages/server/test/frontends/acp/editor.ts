import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk'
import type { EditorServers } from '@parley/engine/src/ports/editor.ts'
import { type OfferedTexts, offeredTexts } from '@parley/frontends/src/acp/offered-texts.ts'
import { serveAcp } from '@parley/frontends/src/acp/serve-acp.ts'
import { createReceived } from '@parley/frontends/test/acp/received.ts'
import { callersLimits } from '../../../src/programs/callers-limits.ts'
import { libraryOn } from '../../../src/programs/engine-program.ts'
import type { TestServer } from '../../engine/support/test-server.ts'

type Kind = SessionUpdate['sessionUpdate']

/** Client of the official SDK with everything that it was told, connected to the frontend in this process. */
export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext
  readonly introduction: InitializeResponse
  readonly updates: readonly SessionUpdate[]
  readonly questions: readonly RequestPermissionRequest[]
  open(cwd: string, mcpServers?: McpServer[]): Promise<NewSessionResponse>
  /** Sends a text and resolves with the reason for which its turn ended. */
  say(sessionId: string, text: string): Promise<string>
  /** Resolves with the first update of a kind that fits. */
  until<Name extends Kind>(
    kind: Name,
    fits?: (update: Extract<SessionUpdate, { sessionUpdate: Name }>) => boolean,
  ): Promise<Extract<SessionUpdate, { sessionUpdate: Name }>>
  /** Joined text of all chunks of the answer. */
  said(): string
}

export interface EditorOptions {
  /** Awaited before a message of the agent is read. */
  readonly beforeReading?: (message: AnyMessage) => Promise<void> | undefined
  readonly capabilities?: ClientCapabilities
  /** What takes the servers of the editor; that of the engine unless told. */
  readonly servers?: EditorServers
  readonly readText?: (path: string) => { content: string } | Promise<{ content: string }>
  readonly fill?: (form: CreateElicitationRequest) => CreateElicitationResponse | Promise<CreateElicitationResponse>
  readonly answer?: (
    question: RequestPermissionRequest,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>
}

const noText = () => Promise.reject(new Error('no buffer'))

const decline = (): CreateElicitationResponse => ({ action: 'decline' })

export const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })

/** Serves ACP on a stream until that ends. */
export async function serveEditor(
  { engine, parts }: TestServer,
  stream: Stream,
  servers: EditorServers = engine.editorServers,
): Promise<void> {
  const limits = callersLimits({ program: 'acp', maxSandbox: null }, engine.limits)
  const parley = await libraryOn(engine, { name: 'acp', title: 'editor', version: '1.0.0' })
  const texts = parts.editors === undefined ? offeredTexts(0) : (parts.editors as OfferedTexts)
  await serveAcp(stream, { parley, version: '1.0.0', limits, now: Date.now, texts, servers, report: () => undefined })
  await parley.close()
}

export async function openEditor(server: TestServer, options: EditorOptions = {}): Promise<Editor> {
  const {
    capabilities = {},
    answer = () => choose('approved'),
    beforeReading = () => undefined,
    fill = decline,
    readText = noText,
  } = options
  const updates = createReceived<SessionUpdate>()
  const questions: RequestPermissionRequest[] = []
  const toAgent = new TransformStream<AnyMessage, AnyMessage>()
  const toClient = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      await beforeReading(message)
      controller.enqueue(message)
    },
  })
  const served = serveEditor(server, { readable: toAgent.readable, writable: toClient.writable }, options.servers)
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => updates.add(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params)
      return answer(params)
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => readText(params.path))
    .onRequest(methods.client.elicitation.create, ({ params }) => fill(params))
    .connect({ readable: toClient.readable, writable: toAgent.writable })
  const { agent } = connection
  const introduction = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  })
  return {
    agent,
    introduction,
    updates: updates.all,
    questions,
    open: (cwd, mcpServers = []) => agent.request(methods.agent.session.new, { cwd, mcpServers }),
    async say(sessionId, text) {
      const prompt = [{ type: 'text' as const, text }]
      const { stopReason }: PromptResponse = await agent.request(methods.agent.session.prompt, { sessionId, prompt })
      return stopReason
    },
    until(kind, fits = () => true) {
      type Found = Extract<SessionUpdate, { sessionUpdate: typeof kind }>
      const isFound = (update: SessionUpdate): update is Found => update.sessionUpdate === kind && fits(update as Found)
      return updates.until(isFound)
    },
    said: () =>
      updates.all
        .flatMap((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
        )
        .join(''),
    async [Symbol.asyncDispose]() {
      connection.close()
      await connection.closed.catch(() => undefined)
      await toAgent.writable.close().catch(() => undefined)
      await served
    },
  }
}
