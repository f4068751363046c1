import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, type Engine } from '@parley/engine/src/engine.ts'
import type { EngineChoices, EngineParts } from '@parley/engine/src/engine-parts.ts'
import {
  connectTestClient,
  type Greeting,
  type TestClient,
  type Watched,
} from '@parley/engine/test/support/test-client.ts'
import { type TestPorts, testParts } from '@parley/engine/test/support/test-parts.ts'
import { nodeFiles, sessionPaths } from '@parley/journal'
import type { ConversationSummary, ParamsOf } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import { openStore } from '@parley/team/store'
import { serveConnection } from '../../../src/frontends/conversation/connections.ts'

/** Server without a process of its own: the real engine and frontend over a separate home. */
export interface TestServer extends AsyncDisposable {
  readonly engine: Engine
  readonly parts: EngineParts & EngineChoices
  connect(name?: string, more?: Greeting): Promise<TestClient>
  /** Ends as a process does after its last client has left. */
  close(): Promise<void>
}

/** Home and workspace of a user, used by one server after the other. */
export interface TestPlace extends AsyncDisposable {
  readonly root: string
  readonly cwd: string
  start(ports?: TestPorts): TestServer
  /** Starts a server with a client that follows a new conversation. */
  talk(ports?: TestPorts, params?: Partial<ParamsOf<'conversation/create'>>): Promise<Talk>
  path(conversationId: string, part?: 'log' | 'sideFiles' | 'checkpoint' | 'lock' | 'owner' | 'folder'): string
  /** Returns the raw lines of a log, header included. */
  logLines(conversationId: string): string[]
  /** Replaces a log. */
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

/** Store that all servers of a test file share: with `PARLEY_TEST_STORE=HOST:PORT` the same tests run on one. */
const address = process.env['PARLEY_TEST_STORE']
const shared =
  address === undefined
    ? {}
    : { store: await openStore({ servers: address.split(','), replicas: 1, files: nodeFiles }) }

const config = `model_provider = "fake"
model = "m1"
[model_providers.fake]
base_url = "http://127.0.0.1:9/v1"
`

/** Options of a server that runs everything without asking. */
export const fullAccess = { maxSandbox: 'danger-full-access', allowNever: true, profile: null } as const

export function testPlace(): TestPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-engine-')))
  const cwd = join(root, 'work')
  mkdirSync(cwd)
  mkdirSync(join(root, '.parley'), { mode: 0o700 })
  writeFileSync(join(root, '.parley', 'config.toml'), config)
  const servers = new Set<TestServer>()

  function start(ports: TestPorts = {}): TestServer {
    const server = startServer(testParts(root, { ...shared, ...ports }))
    servers.add(server)
    return server
  }

  const place: TestPlace = {
    root,
    cwd,
    start,
    async talk(ports, params = {}) {
      // The terminal passes its own flags to the server it starts.
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

function startServer(parts: EngineParts & EngineChoices): TestServer {
  const engine = createEngine(parts, parts)
  const clients: TestClient[] = []
  let closing: Promise<void> | null = null
  const close = async () => {
    await Promise.all(clients.map((client) => client.peer.close()))
    await engine[Symbol.asyncDispose]()
    await parts.machine.host.close()
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

/** Returns the names below a folder, recursively, sorted. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}
