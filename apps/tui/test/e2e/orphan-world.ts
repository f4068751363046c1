import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  cliPath,
  commandOf,
  restoreSandboxCache,
  runCli,
  startCli,
  startModelServer,
  startPty,
  tempDirectory,
  waitUntil,
} from '@parley/testkit'

const toolServer = new URL('../../../../packages/server/test/tools/mcp/support/ugly-server.mjs', import.meta.url)

/** How client and server of a run end; `killAll`: with the guard that ends the rest. */
export const endings = [
  'turnEnds',
  'interrupt',
  'quit',
  'terminate',
  'hangUp',
  'killClient',
  'killServer',
  'killBoth',
  'killAll',
] as const
type EndingOfRun = (typeof endings)[number]

export interface RunThatEnds {
  readonly ending: EndingOfRun
  /** True in the window, on a terminal; else `parley exec`. */
  readonly interactive: boolean
  readonly sandboxed: boolean
  readonly ephemeral: boolean
}

/** A run whose command has a child, one with a session of its own, and a terminal, while two tool servers run. */
export interface OrphanWorld extends AsyncDisposable {
  run(): Promise<void>
  /** Processes of the run, its commands and its guards that are still there. */
  processes(): readonly string[]
  /** Files that a run has only while it goes on, without the /tmp of its commands. */
  files(): readonly string[]
  /** Folders that commands of killed servers had as /tmp, which the next start removes: a resume may need the name. */
  scratch(): readonly string[]
  /** Starts a short run of its own, as any later use of the program does. */
  nextStart(): Promise<void>
}

let runs = 0

export async function orphanWorld({ ending, interactive, sandboxed, ephemeral }: RunThatEnds): Promise<OrphanWorld> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await tempDirectory())
  const at = (name: string) => join(folder.path, name)
  runs += 1
  // A number that is in the command line of all that the command starts.
  const seconds = `86400.${process.pid}${String(runs).padStart(4, '0')}`
  const model = stack.use(await startModelServer([{ calls: [shellCall(seconds, ending)] }, { text: 'Done.' }]))
  for (const name of ['home', 'work', 'tmp', 'run']) await mkdir(at(name), { mode: 0o700 })
  await mkdir(at('home/.parley'), { mode: 0o700 })
  restoreSandboxCache(at('home/.parley'))
  await writeFile(at('home/.parley/config.toml'), configFor(model.url, folder.path))
  const env = {
    HOME: at('home'),
    PARLEY_HOME: at('home/.parley'),
    XDG_RUNTIME_DIR: at('run'),
    TMPDIR: at('tmp'),
    TEST_KEY: 'key',
  }
  const flags = [
    ...['-s', sandboxed ? 'workspace-write' : 'danger-full-access'],
    ...['-c', 'approval_policy=on-request'],
    ...(ephemeral ? ['--ephemeral'] : []),
  ]
  const options = { env, cwd: at('work') }
  const processes = () => processesWith([seconds, folder.path])
  const owned = stack.move()

  function end(client: number, ofRun: readonly number[]): void {
    if (ending === 'killAll') {
      // A server that is not stopped starts another guard.
      for (const pid of ofRun.filter(isServer)) process.kill(pid, 'SIGSTOP')
      for (const pid of processes().filter((each) => commandOf(each).includes('parley-guard')))
        process.kill(pid, 'SIGKILL')
    }
    endProcesses(ending, client, ofRun)
  }

  async function runExec(): Promise<void> {
    // Kept until the world ends: its disposal would kill what must end by itself.
    const run = owned.use(startCli(['exec', ...flags, 'go'], { ...options, keepStdinOpen: true }))
    await whenUp()
    end(run.pid, run.processes())
    await run.result
  }

  async function runWindow(): Promise<void> {
    const pty = owned.use(startPty({ argv: [process.execPath, cliPath, ...flags, 'go'], ...options }))
    await whenUp()
    if (ending === 'hangUp') pty.hangUp()
    else if (ending === 'turnEnds' || ending === 'quit') {
      await pty.waitFor(ending === 'turnEnds' ? /Done\./ : /go/)
      pty.press('Ctrl+D')
      pty.press('Ctrl+D')
    } else if (ending === 'interrupt') {
      pty.press('Ctrl+C')
      pty.press('Ctrl+C')
      pty.press('Ctrl+D')
    } else end(pty.pid, pty.processes())
    if (ending === 'killServer') pty.kill('SIGTERM')
    await pty.exited
  }

  const whenUp = () =>
    waitUntil(() => readdirSync(at('work')).includes('up'), { what: 'the command', timeoutMs: 30_000 })
  return {
    run: interactive ? runWindow : runExec,
    processes: () => processes().map(commandOf),
    files: () => [
      ...readdirSync(at('work')).filter((name) => name !== 'up'),
      ...readdirSync(at('tmp')),
      ...readdirSync(at('run'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.sock')),
      ...readdirSync(at('home/.parley/cache')).filter((name) => name.startsWith('held')),
    ],
    scratch: () => namesIn(at('home/.parley/scratch')),
    async nextStart() {
      await runCli(['exec', '--ephemeral', 'again'], options)
    },
    [Symbol.asyncDispose]: async () => {
      for (const pid of processes()) killQuietly(pid)
      await owned.disposeAsync()
    },
  }
}

function shellCall(seconds: string, ending: EndingOfRun) {
  const sleep = `sleep ${seconds}`
  const children = `${sleep} & setsid ${sleep} & (setsid sh -c '${sleep}; :' &) ; script -qec '${sleep}' /dev/null >/dev/null &`
  return { name: 'shell', arguments: { command: `${children} echo up > up; ${ending === 'turnEnds' ? ':' : sleep}` } }
}

function configFor(modelUrl: string, folder: string): string {
  const servers = ['one', 'two'].map(
    (name) => `[mcp_servers.${name}]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(fileURLToPath(toolServer))}, "plain", ${JSON.stringify(join(folder, name))}]
`,
  )
  return `model = "scripted"
model_provider = "test"
[model_providers.test]
base_url = "${modelUrl}"
wire_api = "responses"
env_key = "TEST_KEY"
${servers.join('')}`
}

const isServer = (pid: number) => commandOf(pid).includes('server.mjs')

function endProcesses(ending: EndingOfRun, client: number, processes: readonly number[]): void {
  const server = processes.find(isServer)
  if (server === undefined) throw new Error('there is no server')
  const both = [
    [server, 'SIGKILL'],
    [client, 'SIGKILL'],
  ] as const
  const signals = {
    turnEnds: [],
    interrupt: [[client, 'SIGINT']],
    quit: [[client, 'SIGTERM']],
    terminate: [[client, 'SIGTERM']],
    hangUp: [[client, 'SIGHUP']],
    killClient: [[client, 'SIGKILL']],
    killServer: [[server, 'SIGKILL']],
    killBoth: both,
    killAll: both,
  } as const satisfies Record<EndingOfRun, readonly (readonly [number, NodeJS.Signals])[]>
  for (const [pid, signal] of signals[ending]) process.kill(pid, signal)
}

/** Lists processes with one of these words in their command line; the crash guard names the folder for temporary files. */
function processesWith(words: readonly string[]): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => words.some((word) => commandLine(pid).includes(word)))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since.
  }
}
