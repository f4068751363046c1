import type { Readable, Writable } from 'node:stream'
import type { Channels } from '../channels/channels.ts'
import { noSandbox, type Sandbox, sandboxFailure } from '../sandbox/sandbox.ts'
import { createMark } from '../system/marks.ts'
import type { ProcessExit } from './spawn-process.ts'
import { type ChildEnd, endedBeforeStart, type Machinery, Supervisor } from './supervisor.ts'

/** Process with Node streams for stdin, stdout and stderr, such as an MCP server. */
export interface StreamedProcessSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Released when the process has ended; default without limits. */
  readonly sandbox?: Sandbox
}

export interface StreamedProcess {
  /** Id of the process; null when it could not be started. */
  readonly pid: number | null
  /** Streams, null when it could not be started. Their errors need no listener: `ended` reports the exit. */
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Resolves when it has ended and all that it started was killed. Never rejects. */
  readonly ended: Promise<ProcessExit>
  /** Closes its stdin; TERM to its group after `graceMs`, KILL 700 ms later. The latest call sets the time of TERM. */
  stop(graceMs: number): Promise<ProcessExit>
}

/** Channels that Node makes at the spawn. Their reader is the caller, so nothing is left to drain at the exit. */
const nodeStreams: Channels = {
  fds: ['pipe', 'pipe', 'pipe'],
  input: null,
  open: ({ onEnd }) => onEnd(),
  closeChildSide: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  resize: () => false,
  close: () => undefined,
}

export class StreamedRun implements StreamedProcess {
  readonly ended: Promise<ProcessExit>
  readonly #supervisor: Supervisor
  #term: NodeJS.Timeout | undefined
  #isClimbing = false

  constructor({ argv, cwd, env, sandbox = noSandbox }: StreamedProcessSpec, machinery: Machinery) {
    const { promise, resolve } = Promise.withResolvers<ProcessExit>()
    this.ended = promise
    this.#supervisor = new Supervisor(
      {
        spec: { argv, cwd, env, mark: createMark() },
        sandbox,
        openChannels: () => nodeStreams,
        onOutput: () => undefined,
        onClose: (end) => {
          clearTimeout(this.#term)
          resolve(exitOf(end))
        },
      },
      machinery,
    )
  }

  get pid(): number | null {
    return this.#supervisor.pid
  }

  get stdin(): Writable | null {
    return this.#supervisor.child?.stdin ?? null
  }

  get stdout(): Readable | null {
    return this.#supervisor.child?.stdout ?? null
  }

  get stderr(): Readable | null {
    return this.#supervisor.child?.stderr ?? null
  }

  /** Spawns before it returns. Called once. */
  begin(): void {
    this.#supervisor.begin()
    // EPIPE and its like after the exit, which `ended` reports.
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.on('error', () => undefined)
  }

  stop(graceMs: number): Promise<ProcessExit> {
    this.stdin?.end()
    clearTimeout(this.#term)
    if (this.pid === null) this.#supervisor.stop('shutdown')
    else if (!this.#supervisor.isClosed) this.#term = setTimeout(() => this.#climb(), graceMs)
    return this.ended
  }

  #climb(): void {
    if (this.#isClimbing) return
    this.#isClimbing = true
    this.#supervisor.stop('shutdown')
  }
}

function exitOf({ exit, spawnError = endedBeforeStart }: ChildEnd): ProcessExit {
  if (exit === null) return { exitCode: null, signal: null, spawnError }
  const { exitCode, signal, outcome } = exit
  return { exitCode, signal, ...(outcome?.ran === false ? { spawnError: sandboxFailure(null) } : {}) }
}
