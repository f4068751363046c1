import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { createStreamTransport, type Transport } from '@parley/rpc'
import { openStderrLog, type StderrLog } from './stderr-log.ts'

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
}

export interface SpawnedServer {
  readonly transport: Transport
  readonly pid: number | undefined
  /** Resolves when the process has ended, or could not be started. */
  readonly exited: Promise<ServerExit>
  /** Returns the end of the server's stderr and the file that holds all of it; null if it wrote nothing. */
  stderrTail(): { readonly text: string; readonly path: string } | null
  /** Sends the signal; SIGKILL goes to the whole process group, wrappers of the server included. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Lets the calling process exit while the server keeps running. */
  release(): void
}

/**
 * Starts a server in a session of its own, so that Ctrl+C and a closing terminal do not reach it. The server ends when
 * its stdin closes.
 */
export function spawnServer({ command: [program, ...args], env, home }: SpawnServerOptions): SpawnedServer {
  const log = openStderrLog(home)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', log?.descriptor ?? 'ignore'], env, detached: true })
  if (log !== null) closeSync(log.descriptor)
  return {
    transport: transportOf(child),
    pid: child.pid,
    exited: exitOf(child),
    stderrTail: () => stderrTailIn(log),
    kill: (signal) => (signal === 'SIGKILL' ? killGroup(child) : void child.kill(signal)),
    release: () => child.unref(),
  }
}

function transportOf(child: ChildProcess): Transport {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the server was started without pipes')
  const transport = createStreamTransport({ input: stdout, output: stdin })
  // A grandchild may hold the server's stdout open after its death, so the stream's end cannot be waited for.
  child.once('exit', () => void transport.close())
  return transport
}

function exitOf(child: ChildProcess): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

function stderrTailIn(log: StderrLog | null): ReturnType<SpawnedServer['stderrTail']> {
  const text = log?.newText().trim() ?? ''
  return log === null || text === '' ? null : { text, path: log.path }
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

/** Resolves to the sentence about a server that ended unexpectedly, once its process is gone. */
export async function explainExit(server: SpawnedServer): Promise<string> {
  const { code, signal } = await server.exited
  const how = signal !== null ? `was ended by ${signal}` : code === null ? 'could not be started' : `ended with ${code}`
  const words = server.stderrTail()
  const said = words === null ? '' : ` It said: ${lastLineOf(words.text)} (all of it is in ${words.path})`
  return `The server ${how}.${said}`
}

/** Returns the line with the error: Node prints its version below it. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^(Node\.js v|\s+at |[\s^{}]+$)/.test(line))
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
}
