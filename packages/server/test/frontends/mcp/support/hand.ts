import type { Connect } from '@parley/client/low-level'
import type { Ceiling } from '@parley/engine/src/limits/ceiling.ts'
import { createServerLimits } from '@parley/engine/src/server-limits.ts'
import { type McpParts, type ServedClient, serveMcp } from '@parley/frontends/src/mcp/serve-mcp.ts'
import { StdioTransport } from '@parley/frontends/src/mcp/stdio-transport.ts'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { callersLimits } from '../../../../src/programs/callers-limits.ts'
import { connectorTo } from '../../../../src/programs/engine-program.ts'
import type { TestServer } from '../../../engine/support/test-server.ts'

/** A message as it came: these tests look at the wire, so nothing is assumed of it. */
// biome-ignore lint/suspicious/noExplicitAny: the wire is what is tested
export type Wire = any

export interface Hand extends AsyncDisposable {
  /** Everything received, in order. */
  readonly received: readonly Wire[]
  /** Asks, and resolves with the whole answer. */
  request(method: string, params?: unknown): Promise<Wire>
  /** `tools/call`; `id` is known before the answer. */
  call(name: string, args: unknown): { readonly id: number; readonly answer: Promise<Wire> }
  notify(method: string, params: unknown): void
  send(message: unknown): void
  line(text: string): void
  /** Notifications of one method, in order. */
  notified(method: string): Wire[]
  /** `msg` of the events that one call was told. */
  events(requestId: number): Wire[]
  types(requestId: number): string[]
  /** The nth question of the server, once it is there. */
  asked(count?: number): Promise<Wire>
  until(what: string, found: (message: Wire) => boolean): Promise<Wire>
  /** Closes our end and waits until the server has noticed. */
  leave(): Promise<void>
}

interface HandOptions {
  readonly capabilities?: object
  readonly approvalTimeoutMs?: number
  readonly name?: string
  /** Ceiling of the MCP server, when the conversations live in another process. */
  readonly ceiling?: Ceiling
  /** Connects in place of the engine's own way. */
  readonly connect?: Connect
}

/** An MCP client that is nothing but lines. */
export async function takeHand(server: TestServer, options: HandOptions = {}): Promise<Hand> {
  const { capabilities = { elicitation: {} }, approvalTimeoutMs = 60_000, name = 'hand' } = options
  const [ours, theirs] = createMemoryTransportPair()
  const { home } = server.engine.identity
  const ceiling = () => options.ceiling ?? server.engine.limits.ceiling()
  const parts: McpParts = {
    connect: options.connect ?? connectorTo(server.engine),
    version: 'test',
    home,
    approvalTimeoutMs,
    limits: callersLimits(
      {
        program: 'mcp-server',
        maxSandbox: (options.ceiling === undefined && server.parts.ceiling?.maxSandbox) || null,
      },
      createServerLimits({ home, ceiling, secrets: server.parts.machine.secrets }),
    ),
    report: (fault) => server.engine.report(fault),
  }
  const served = await serveMcp(new StdioTransport(theirs), parts, () => theirs.bufferedBytes)
  const hand = handOver(ours, served)
  const clientInfo = { name, version: '1' }
  await hand.request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo })
  hand.notify('notifications/initialized', {})
  return hand
}

function handOver(ours: Transport, served: ServedClient): Hand {
  const received: Wire[] = []
  let lastId = 0
  const gone = read(ours, received)
  const send = (message: unknown) => ours.send(JSON.stringify(message))
  const until: Hand['until'] = (what, found) => waitUntil(() => received.find(found), { what })
  const ask = (method: string, params: unknown, resultOf = (answer: Wire): Wire => answer) => {
    lastId += 1
    const id = lastId
    send({ jsonrpc: '2.0', id, method, params })
    const answered = until(`the answer to ${method} ${id}`, (m) => m.id === id && m.method === undefined)
    const answer = answered.then(resultOf)
    // A test may leave before the answer that it does not wait for.
    answer.catch(() => undefined)
    return { id, answer }
  }
  const hand: Hand = {
    received,
    request: (method, params = {}) => ask(method, params).answer,
    call: (tool, args) =>
      ask('tools/call', { name: tool, arguments: args }, ({ result, error }) => result ?? { error }),
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    send,
    line: (text) => ours.send(text),
    notified: (method) => received.filter((m) => m.method === method && m.id === undefined),
    events: (requestId) =>
      hand
        .notified('codex/event')
        .filter(({ params }) => params._meta.requestId === requestId)
        .map(({ params }) => params.msg),
    types: (requestId) => hand.events(requestId).map(({ type }) => type),
    asked: (count = 1) =>
      waitUntil(() => received.filter(({ method }) => method === 'elicitation/create')[count - 1], {
        what: `question ${count}`,
      }),
    until,
    async leave() {
      await ours.close()
      await gone
      await served.gone
    },
    [Symbol.asyncDispose]: () => hand.leave(),
  }
  return hand
}

async function read(ours: Transport, received: Wire[]): Promise<void> {
  for await (const incoming of ours.incoming) if (incoming.kind === 'message') received.push(incoming.value)
}
