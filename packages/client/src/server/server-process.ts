import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { openStderrLog, type StderrLog } from './stderr-log.ts'

const keptCharacters = 4096
/** Time to read the stderr of a server that has ended. */
const lastWordsMs = 200

export interface SpawnServerOptions {
  /** Program and arguments, e.g. `[process.execPath, '…/server.mjs']`. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string | undefined>>
  /** `$PARLEY_HOME`: the server's stderr goes to a file under it. */
  readonly home: string
}

export interface ServerExit {
  readonly code: number | null
  readonly signal: string | null
  /** Name of the system's error, for a process that could not be started. */
  readonly errno?: string
}

/** Process of a server. Its output waits in the pipe until it is read. */
export interface ServerProcess {
  readonly input: Writable
  readonly output: Readable
  readonly pid: number | undefined
  /** Program that was started, as it was given. */
  readonly program: string
  /** Resolves when the process has ended, or could not be started. */
  readonly exited: Promise<ServerExit>
  /** Returns the end of the server's stderr and the path of the file with all of it, if that could be made; null for an empty stderr. */
  stderrTail(): { readonly text: string; readonly path: string | null } | null
  /** Sends the signal; SIGKILL goes to the whole process group, wrappers of the server included. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Lets the calling process exit while the server keeps running. */
  release(): void
}

/** Starts a server in its own session, out of reach of Ctrl+C and a closing terminal; it ends with its stdin. */
export function startServerProcess(options: SpawnServerOptions): ServerProcess {
  const log = openStderrLog(options.home)
  try {
    const child = spawned(options, log)
    // Without free descriptors Node makes no pipes, whatever its types say.
    const { stdin, stdout }: { stdin?: Writable | null; stdout?: Readable | null } = child
    const unfiled = log === null ? keepTail(child.stderr) : null
    return {
      input: stdin ?? discarding(),
      output: stdout ?? Readable.from([]),
      pid: child.pid,
      program: options.command[0],
      exited: exitOf(child, unfiled?.ended),
      stderrTail: () => tailIn(log ?? unfiled),
      kill: (signal) => (signal === 'SIGKILL' ? killGroup(child) : void child.kill(signal)),
      release: () => child.unref(),
    }
  } catch (error) {
    // Without memory for a process Node throws, where other failures are events.
    return neverStarted(options.command[0], error)
  } finally {
    if (log !== null) closeSync(log.descriptor)
  }
}

function spawned({ command: [program, ...args], env }: SpawnServerOptions, log: StderrLog | null): ChildProcess {
  return spawn(program, args, { stdio: ['pipe', 'pipe', log?.descriptor ?? 'pipe'], env, detached: true })
}

function neverStarted(program: string, error: unknown): ServerProcess {
  return {
    input: discarding(),
    output: Readable.from([]),
    pid: undefined,
    program,
    exited: Promise.resolve(failedStart(error)),
    stderrTail: () => null,
    kill: () => undefined,
    release: () => undefined,
  }
}

function discarding(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}

function failedStart(error: unknown): ServerExit {
  const errno = error instanceof Error && 'code' in error ? { errno: String(error.code) } : {}
  return { code: null, signal: null, ...errno }
}

/** Resolves once the process has ended and its stderr, where that is a pipe, is read to the end. */
function exitOf(child: ChildProcess, said?: Promise<unknown>): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(failedStart(error)))
    child.once('exit', (code, signal) => {
      const end = () => resolve({ code, signal })
      if (said === undefined) return end()
      // A process that the server started may hold the pipe open.
      const late = setTimeout(end, lastWordsMs)
      void said.then(() => {
        clearTimeout(late)
        end()
      })
    })
  })
}

function tailIn(
  said: (Pick<StderrLog, 'newText'> & { readonly path: string | null }) | null,
): ReturnType<ServerProcess['stderrTail']> {
  const text = said?.newText().trim() ?? ''
  return said === null || text === '' ? null : { text, path: said.path }
}

/** Keeps the end of a stderr for which there is no file. It does not hold up the end of this process. */
function keepTail(stderr: Readable | null) {
  let text = ''
  stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text = `${text}${piece}`.slice(-keptCharacters)
  })
  if (stderr instanceof Socket) stderr.unref()
  const ended = new Promise<void>((resolve) => (stderr === null ? resolve() : stderr.once('close', resolve)))
  return { path: null, newText: () => text, ended }
}

/** Kills the server's session; the guard of its commands runs in another session and ends them. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended meanwhile.
  }
}

/** Variable of the C library with settings of its allocator, and a copy that marks them as parley's own. */
const variables = { tunables: 'GLIBC_TUNABLES', own: 'PARLEY_TUNABLES' } as const

/**
 * Removes the launcher's settings of the allocator from the environment, so that no child process inherits them.
 * Returns them as variables for a server; empty where the user has set others.
 */
export function takeAllocatorSettings(
  env: Record<string, string | undefined>,
): Readonly<Partial<Record<string, string>>> {
  const { tunables, own } = variables
  const settings = env[own]
  delete env[own]
  if (settings === undefined || settings !== env[tunables]) return {}
  delete env[tunables]
  return { [tunables]: settings, [own]: settings }
}
