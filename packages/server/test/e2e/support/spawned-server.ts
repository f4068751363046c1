import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectTestClient, type Greeting, type TestClient } from '@parley/engine/test/support/test-client.ts'
import { connectSocket, createStreamTransport } from '@parley/rpc'
import {
  cleanEnvironment,
  commandWithout,
  descendantsWithMark,
  killMarked,
  markVariable,
  newMark,
  type RefusedCall,
  restoreSandboxCache,
  saveSandboxCache,
  waitUntil,
} from '@parley/testkit'
import { type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { bundledProgram } from '../../fixtures/bundled-program.ts'
import { compileCache } from '../../fixtures/compile-cache.ts'
import { type Failpoint, formatFailpoint } from '../../fixtures/failpoints.ts'

const program = bundledProgram('failpoint-server')

/** For a server whose clients may ask for everything. */
export const fullAccess = ['--max-sandbox', 'danger-full-access', '--allow-never'] as const

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface SpawnedServer {
  readonly child: ChildProcess
  readonly pid: number
  /** Rejects when the process dies before it has answered. */
  connect(): Promise<TestClient>
  /** A further client, over the socket by which others find it. */
  join(name?: string, more?: Greeting): Promise<TestClient>
  /** Address at which it listens first. */
  socket(): Promise<string>
  readonly exited: Promise<Exit>
  /** Exit code, null while it runs. */
  exit(): Exit | null
  stderr(): string
}

/** A home whose model is `modelUrl`, for servers that are processes; what they start carries a mark. */
export interface ProcessPlace extends TestPlace {
  spawn(killAt?: Failpoint, env?: Readonly<Record<string, string>>, args?: readonly string[]): SpawnedServer
  /** The same with words put before the command, such as those that run it in another network. */
  spawnBy(launcher: readonly string[], args: readonly string[]): SpawnedServer
  /** The same where the kernel answers a system call with an error. */
  spawnWithout(refused: RefusedCall): SpawnedServer
  /** Processes of commands that are still there. */
  descendants(): number[]
  noDescendants(): Promise<unknown>
}

export function processPlace(modelUrl: string, policy = 'on-request'): ProcessPlace {
  const place = testPlace()
  const home = join(place.root, '.parley')
  restoreSandboxCache(home, 'sources')
  const mark = newMark()
  place.write('../.parley/config.toml', configOf(modelUrl, mark, policy))
  const children = new Set<ChildProcess>()
  const descendants = () => descendantsWithMark(mark)
  const start = (command: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const server = spawnServer(place, command, env)
    children.add(server.child)
    return server
  }
  return {
    ...place,
    spawn(killAt, more = {}, args = []) {
      const env = killAt === undefined ? more : { ...more, PARLEY_TEST_KILL: formatFailpoint(killAt) }
      return start([...serverCommand, ...args], env)
    },
    spawnBy: (launcher, args) => start([...launcher, ...serverCommand, ...args]),
    spawnWithout: (refused) => start(commandWithout(refused, serverCommand)),
    descendants,
    noDescendants: () =>
      waitUntil(() => descendants().length === 0, { what: 'the end of all commands', timeoutMs: 30_000 }),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      killMarked(mark)
      saveSandboxCache(home, 'sources')
      await place[Symbol.asyncDispose]()
    },
  }
}

function configOf(modelUrl: string, mark: string, policy: string): string {
  return `model_provider = "fake"
model = "m1"
approval_policy = "${policy}"
[model_providers.fake]
base_url = "${modelUrl}"
wire_api = "responses"
stream_max_retries = 0
request_max_retries = 0
[shell_environment]
set = { ${markVariable} = "${mark}" }
`
}

/** Command of the server, with the flag by which users run it and one for measures of memory. */
const serverCommand = [process.execPath, '--max-semi-space-size=1', '--expose-gc', program]

function spawnServer(
  place: TestPlace,
  command: readonly string[],
  more: Readonly<Record<string, string>>,
): SpawnedServer {
  const [file = '', ...args] = command
  const env = cleanEnvironment({
    HOME: place.root,
    PARLEY_HOME: join(place.root, '.parley'),
    XDG_RUNTIME_DIR: place.root,
    NODE_COMPILE_CACHE: compileCache,
    ...more,
  })
  const child = spawn(file, args, {
    env,
    cwd: place.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  let exit: Exit | null = null
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = { code, signal }
      resolve(exit)
    })
  })
  let found: Promise<string> | undefined
  const socket = () => {
    found ??= socketOf(join(place.root, 'parley'), child.pid ?? 0)
    return found
  }
  return {
    child,
    pid: child.pid ?? 0,
    socket,
    join: async (name, greeting) => connectTestClient(await connectSocket(await socket()), name, greeting),
    exited,
    exit: () => exit,
    stderr: () => errors.join(''),
    connect: () => connectTestClient(createStreamTransport({ input: child.stdout, output: child.stdin })),
  }
}

/** The one of that process among those in a run folder. */
function socketOf(folder: string, pid: number): Promise<string> {
  const find = async () => {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const path = join(folder, name)
      if ((await pidAt(path)) === pid) return path
    }
    return undefined
  }
  return waitUntil(find, { what: 'the socket of the server', timeoutMs: 30_000 })
}

async function pidAt(path: string): Promise<number | null> {
  const transport = await connectSocket(path).catch(() => null)
  if (transport === null) return null
  const asker = await connectTestClient(transport, 'asker').catch(() => null)
  const answer = await asker?.request('server/diagnostics', {})
  await asker?.peer.close()
  return answer?.pid ?? null
}
