import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionPaths } from '@parley/journal'
import type { ConversationSummary, ParamsOf } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import { createEngine, type Engine, type EngineParts } from '../../../src/engine/engine.ts'
import { serveConnection } from '../../../src/frontends/conversation/connections.ts'
import { connectTestClient, type Greeting, type TestClient, type Watched } from './test-client.ts'
import { type TestPorts, testParts } from './test-parts.ts'

/** One server process, but for the process: the real engine and face over a home of its own. */
export interface TestServer extends AsyncDisposable {
  readonly engine: Engine
  readonly parts: EngineParts
  connect(name?: string, more?: Greeting): Promise<TestClient>
  /** As a process ends when its last client has gone. */
  close(): Promise<void>
}

/** A user's home and workspace; servers come and go over it. */
export interface TestPlace extends AsyncDisposable {
  readonly root: string
  readonly cwd: string
  start(ports?: TestPorts): TestServer
  /** A server, its client and a new conversation, watched. */
  talk(ports?: TestPorts, params?: Partial<ParamsOf<'conversation/create'>>): Promise<Talk>
  path(conversationId: string, part?: 'log' | 'sideFiles' | 'lock' | 'owner' | 'folder'): string
  /** Raw lines of a log, header included. */
  logLines(conversationId: string): string[]
  /** Puts a log in the place of the one that is there. */
  writeLog(conversationId: string, lines: readonly string[]): void
  write(name: string, content: string): void
  read(name: string): string
}

export interface Talk {
  readonly server: TestServer
  readonly client: TestClient
  readonly summary: ConversationSummary
  readonly watched: Watched
}

const config = `model_provider = "fake"
model = "m1"
[model_providers.fake]
base_url = "http://127.0.0.1:9/v1"
`

/** Of a server that may run everything unasked. */
export const fullAccess = { maxSandbox: 'danger-full-access', allowNever: true, profile: null } as const

export function testPlace(): TestPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-engine-')))
  const cwd = join(root, 'work')
  mkdirSync(cwd)
  mkdirSync(join(root, '.parley'), { mode: 0o700 })
  writeFileSync(join(root, '.parley', 'config.toml'), config)
  const servers = new Set<TestServer>()

  function start(ports: TestPorts = {}): TestServer {
    const server = startServer(testParts(root, ports))
    servers.add(server)
    return server
  }

  const place: TestPlace = {
    root,
    cwd,
    start,
    async talk(ports, params = {}) {
      // As the terminal does: what the user asks of it, its server is started for.
      const server = start(params.sandbox === 'danger-full-access' ? { ceiling: fullAccess, ...ports } : ports)
      const client = await server.connect()
      const summary = await client.request('conversation/create', { cwd, ...params })
      const watched = await client.watch(summary.conversationId)
      return { server, client, summary, watched }
    },
    path(conversationId, part = 'log') {
      const paths = sessionPaths(join(root, '.parley'), conversationId)
      if (paths === null) throw new Error(`${conversationId} is no id`)
      return paths[part]
    },
    logLines: (conversationId) => readFileSync(place.path(conversationId), 'utf8').split('\n').slice(0, -1),
    writeLog: (conversationId, lines) =>
      writeFileSync(place.path(conversationId), lines.map((line) => `${line}\n`).join('')),
    write: (name, content) => writeFileSync(join(cwd, name), content),
    read: (name) => readFileSync(join(cwd, name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...servers].map((server) => server.close()))
      rmSync(root, { recursive: true, force: true })
    },
  }
  return place
}

function startServer(parts: EngineParts): TestServer {
  const engine = createEngine(parts)
  const clients: TestClient[] = []
  let closing: Promise<void> | null = null
  const close = async () => {
    await Promise.all(clients.map((client) => client.peer.close()))
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
    parts.shellParser[Symbol.dispose]()
  }
  const server: TestServer = {
    engine,
    parts,
    async connect(name, more) {
      const [ours, theirs] = createMemoryTransportPair()
      void serveConnection(theirs, engine)
      const client = await connectTestClient(ours, name, more)
      clients.push(client)
      return client
    },
    close() {
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => server.close(),
  }
  return server
}

/** Names below a folder, deep, sorted. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}
