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
  /** Settles when the process has ended, or could not be started. */
  readonly exited: Promise<ServerExit>
  /** The end of what it has written to stderr, and the file that has all of it; null when it was silent. */
  lastWords(): { readonly text: string; readonly path: string } | null
  /** SIGKILL ends all of its group, so that nothing between it and us is left either. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Our process may end although this one goes on: it has other clients, or was told to. */
  release(): void
}

/**
 * Starts a server of our own, in its own session: a Ctrl+C or a closing terminal does not reach it. It leaves when
 * our end of its stdin closes.
 */
export function spawnServer({ command: [program, ...args], env, home }: SpawnServerOptions): SpawnedServer {
  const log = openStderrLog(home)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', log?.descriptor ?? 'ignore'], env, detached: true })
  if (log !== null) closeSync(log.descriptor)
  return {
    transport: transportOf(child),
    pid: child.pid,
    exited: exitOf(child),
    lastWords: () => lastWordsIn(log),
    kill: (signal) => (signal === 'SIGKILL' ? killGroup(child) : void child.kill(signal)),
    release: () => child.unref(),
  }
}

function transportOf(child: ChildProcess): Transport {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the server was started without pipes')
  const transport = createStreamTransport({ input: stdout, output: stdin })
  // A grandchild may hold the server's stdout open after its death; the process's end is the connection's end.
  child.once('exit', () => void transport.close())
  return transport
}

function exitOf(child: ChildProcess): Promise<ServerExit> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

function lastWordsIn(log: StderrLog | null): ReturnType<SpawnedServer['lastWords']> {
  const text = log?.newText().trim() ?? ''
  return log === null || text === '' ? null : { text, path: log.path }
}

/** Its session is its own. The guard of its commands has another one and ends those. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/** The sentence for a server that is gone though nobody closed it. */
export async function explainExit(server: SpawnedServer): Promise<string> {
  const { code, signal } = await server.exited
  const how = signal !== null ? `was ended by ${signal}` : code === null ? 'could not be started' : `ended with ${code}`
  const words = server.lastWords()
  const said = words === null ? '' : ` It said: ${lastLineOf(words.text)} (all of it is in ${words.path})`
  return `The server ${how}.${said}`
}

/** Node puts its version below the error it reports. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => /\S/.test(line) && !/^(Node\.js v|\s+at |[\s^{}]+$)/.test(line))
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ''
}
