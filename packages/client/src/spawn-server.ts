import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createStreamTransport, type Transport } from '@parley/rpc'

export interface SpawnServerOptions {
  /** Program and arguments, e.g. `[process.execPath, '…/server.mjs']`. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string | undefined>>
  /** `$PARLEY_HOME`: the server's stderr goes to a file under it. */
  readonly home: string
}

export interface SpawnedServer {
  readonly transport: Transport
  readonly pid: number | undefined
  /** Settles when the process has ended. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/**
 * Starts a server of our own, in its own session: a Ctrl+C or a closing terminal does not reach it. It leaves when
 * our end of its stdin closes.
 */
export function spawnServer({ command: [program, ...args], env, home }: SpawnServerOptions): SpawnedServer {
  const stderr = openStderrLog(home)
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', stderr ?? 'ignore'], env, detached: true })
  if (stderr !== null) closeSync(stderr)
  return { transport: transportOf(child), pid: child.pid, exited: exitOf(child) }
}

function transportOf(child: ChildProcess): Transport {
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the server was started without pipes')
  const transport = createStreamTransport({ input: stdout, output: stdin })
  // A grandchild may hold the server's stdout open after its death; the process's end is the connection's end.
  child.once('exit', () => void transport.close())
  return transport
}

function exitOf(child: ChildProcess): SpawnedServer['exited'] {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

/** Null when it cannot be written: that must not keep the server from starting. */
function openStderrLog(home: string): number | null {
  try {
    mkdirSync(join(home, 'logs'), { recursive: true, mode: 0o700 })
    return openSync(join(home, 'logs', 'server.stderr.log'), 'a', 0o600)
  } catch {
    return null
  }
}
