import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cleanEnvironment, waitUntil } from '@parley/testkit'
import { bundledProgram } from '../../fixtures/bundled-program.ts'
import { compileCache } from '../../fixtures/compile-cache.ts'

const execServer = bundledProgram('far-exec-server')

/** A folder of another machine. */
export interface FarFolder {
  readonly home: string
  readonly work: string
  /** Comes first in its PATH. */
  readonly bin: string
  readonly port: number
  readonly tokenFile: string
  write(name: string, content: string): void
  read(name: string): string
  program(name: string, content: string | Buffer): void
}

/** Another machine as far as files go: a home and folders of its own, and an exec-server that is a process. */
export interface FarMachine extends FarFolder, AsyncDisposable {
  readonly pid: number
  /** Another folder of it, empty. */
  newFolder(): FarFolder
  /** SIGKILL, and it is gone when this resolves. */
  kill(): Promise<void>
  /** The exec-server again, on the same port. */
  startAgain(): Promise<void>
}

export interface FarOptions {
  /** Put before the program, such as `ip netns exec NAME`. */
  readonly launcher?: readonly string[]
  readonly host?: string
  /** Servers that it connects to by itself, as `laptop`, in place of listening. */
  readonly connect?: { readonly servers: readonly string[]; readonly tokenFile: string }
  /** Further words of its command line. */
  readonly flags?: readonly string[]
}

export async function startFarMachine(options: FarOptions = {}): Promise<FarMachine> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-far-')))
  const [home, work, bin] = [join(root, 'home'), join(root, 'work'), join(root, 'bin')]
  for (const folder of [home, work, bin]) mkdirSync(folder)
  const tokenFile = join(root, 'token')
  const env = cleanEnvironment({
    HOME: home,
    NODE_COMPILE_CACHE: compileCache,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  })
  let server = await launch({ ...options, port: 0, tokenFile, env, cwd: work })
  const { port } = server
  const folderAt = (folder: string): FarFolder => ({
    ...{ home, bin, port, tokenFile, work: folder },
    write(name, content) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    program(name, content) {
      writeFileSync(join(bin, name), content)
      chmodSync(join(bin, name), 0o755)
    },
  })
  const kill = async () => {
    const { child } = server
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  return {
    ...folderAt(work),
    get pid() {
      return server.child.pid ?? 0
    },
    newFolder: () => folderAt(mkdtempSync(join(root, 'work-'))),
    kill,
    async startAgain() {
      server = await launch({ ...options, port, tokenFile, env, cwd: work })
    },
    async [Symbol.asyncDispose]() {
      // Not killed: what it has compiled is written at its end.
      await server.end()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

interface Launch extends FarOptions {
  readonly port: number
  readonly tokenFile: string
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

async function launch(options: Launch) {
  const { launcher = [], host = '127.0.0.1', port, connect, flags = [], env, cwd } = options
  const tokenFile = connect?.tokenFile ?? options.tokenFile
  const way = connect === undefined ? ['--listen', `ws://${host}:${port}`] : connectWords(connect.servers)
  const words = [...way, '--token-file', tokenFile, ...flags]
  const [program = '', ...args] = [...launcher, process.execPath, execServer, ...words]
  const child: ChildProcess = spawn(program, args, { env, cwd, stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.stdin?.end()
    await gone
  }
  // Its servers may be started later.
  if (connect !== undefined) return { child, end, port }
  const found = await waitUntil(() => /listens on ws:\/\/.*:(\d+)/.exec(said), {
    what: 'the address of the exec-server',
    timeoutMs: 30_000,
  })
  return { child, end, port: Number(found[1]) }
}

function connectWords(servers: readonly string[]): readonly string[] {
  return ['--connect', servers.join(','), '--name', 'laptop']
}
