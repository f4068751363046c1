import type { AnyMessage } from '@agentclientprotocol/sdk'
import { createReceived } from '@parley/frontends/test/acp/received.ts'
import type { TestServer } from '../../engine/support/test-server.ts'
import { serveEditor } from './editor.ts'

type Message = Readonly<Record<string, unknown>>

/** Client that sends what it is told to, whatever the protocol says. */
export interface RawClient extends AsyncDisposable {
  readonly received: readonly Message[]
  /** Resolves when the server has ended the connection. */
  readonly served: Promise<void>
  send(message: object): void
  /** Resolves to the whole answer, an error included. */
  ask(method: string, params: unknown): Promise<Message>
  until(fits: (message: Message) => boolean): Promise<Message>
  /** Resolves to the id of a new session. */
  open(cwd: string): Promise<string>
}

/** `reads`: the client reads nothing before. */
export function rawClient(server: TestServer, reads: Promise<void> = Promise.resolve()): RawClient {
  const toAgent = new TransformStream<AnyMessage, AnyMessage>()
  const toClient = new TransformStream<AnyMessage, AnyMessage>()
  const serving = serveEditor(server, { readable: toAgent.readable, writable: toClient.writable })
  const received = createReceived<Message>()
  const reader = toClient.readable.getReader()
  const writer = toAgent.writable.getWriter()
  let nextId = 0

  async function read(): Promise<void> {
    await reads
    for (let next = await reader.read(); !next.done; next = await reader.read())
      received.add(next.value as unknown as Message)
  }
  const reading = read()

  const send: RawClient['send'] = (message) =>
    void writer.write({ jsonrpc: '2.0', ...message } as AnyMessage).catch(() => undefined)
  const until: RawClient['until'] = (fits) => received.until((message): message is Message => fits(message))
  const ask: RawClient['ask'] = (method, params) => {
    const id = `r${nextId++}`
    send({ id, method, params })
    return until((message) => message['id'] === id && message['method'] === undefined)
  }
  return {
    received: received.all,
    served: serving,
    send,
    ask,
    until,
    async open(cwd) {
      await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
      const { result } = await ask('session/new', { cwd, mcpServers: [] })
      return (result as { sessionId: string }).sessionId
    },
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => undefined)
      await serving
      await reader.cancel()
      await reading.catch(() => undefined)
    },
  }
}
