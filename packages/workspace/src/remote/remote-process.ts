import { randomBytes } from 'node:crypto'
import type { SandboxLimits } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { ConnectionClosedError, RpcError } from '@parley/rpc'
import { EnvironmentUnreachableError } from '../files/errors.ts'
import type { ExecConnection, ExecNotice } from './exec-connection.ts'
import type { Link, WatchedProcess } from './link.ts'
import { sandboxRequest } from './remote-sandboxes.ts'

export interface RemoteProcessSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What it may do there; null: all that the exec-server may. */
  readonly limits: SandboxLimits | null
  /** Each byte once, in order. `stderr` is told apart only where the process was given one of its own. */
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr' | 'pty') => void
}

export type RemoteEnd =
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly triedNetwork: boolean }
  /** It was never started: the exec-server said no, or could not be reached. */
  | { readonly kind: 'notStarted'; readonly why: string; readonly sandboxBroke: boolean }
  /** It was started, or may have been, and nobody can tell how it ended. */
  | { readonly kind: 'lost'; readonly why: string }

type Settle = (end: RemoteEnd) => void

/**
 * One process on the far side, told of in numbers that are dense. What a lost connection swallowed is asked for, so
 * output comes without loss or repeat however often the link breaks; the process itself is started once at most.
 */
export class RemoteProcess implements WatchedProcess {
  readonly ended: Promise<RemoteEnd>
  readonly #link: Link
  readonly #spec: RemoteProcessSpec
  readonly #id = `p-${randomBytes(6).toString('hex')}`
  readonly #unwatch: () => void
  #settle: Settle | null = null
  #started = false
  /** The last number that was taken, and the highest that was heard of. */
  #lastSeq = 0
  #heardSeq = 0
  #exitCode: number | null = null
  #triedNetwork = false
  #failure: string | null = null
  /** What is missing is being asked for; what comes meanwhile is in the answer, or asked for again. */
  #fetching = false

  constructor(link: Link, spec: RemoteProcessSpec) {
    this.#link = link
    this.#spec = spec
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.#unwatch = link.watch(this.#id, this)
    void this.#start().catch((error: unknown) => this.#finish(startFailure(error)))
  }

  /** Its process group; without an answer, and without effect once it has ended. */
  signal(signal: 'interrupt' | 'terminate'): void {
    this.#tell((connection) => connection.request('process/signal', { processId: this.#id, signal }))
  }

  /** Its whole tree. */
  kill(): void {
    this.#tell((connection) => connection.request('process/terminate', { processId: this.#id }))
  }

  /** Nobody waits any longer, whatever becomes of it. */
  abandon(why: string): void {
    this.#finish({ kind: 'lost', why })
  }

  onNotice(notice: ExecNotice): void {
    const { seq } = notice.params
    this.#heardSeq = Math.max(this.#heardSeq, seq)
    if (this.#settle === null || this.#fetching || seq <= this.#lastSeq) return
    if (seq > this.#lastSeq + 1) {
      this.#fetch()
      return
    }
    this.#lastSeq = seq
    switch (notice.method) {
      case 'process/output':
        this.#spec.onOutput(Buffer.from(notice.params.chunk, 'base64'), notice.params.stream)
        return
      case 'process/exited':
        this.#exitCode = notice.params.exitCode
        this.#triedNetwork = notice.params.sandboxDenied ?? false
        this.#failure = notice.params.failure ?? null
        return
      case 'process/closed':
        this.#end()
    }
  }

  onReconnect(): void {
    if (this.#started) this.#fetch()
  }

  onLost(why: string): void {
    this.#finish({ kind: 'lost', why })
  }

  /**
   * The number is taken before anything is started over there, so asking for the same start again in the same session
   * starts nothing twice. In another session it could, so there it is lost.
   */
  async #start(): Promise<void> {
    let askedIn: string | null = null
    while (this.#settle !== null) {
      const connection = await this.#link.connection()
      if (askedIn !== null && askedIn !== connection.sessionId) {
        this.onLost('the link was lost while it was being started')
        return
      }
      const isRepeat = askedIn !== null
      askedIn = connection.sessionId
      if (await this.#startIn(connection, isRepeat)) return
    }
  }

  async #startIn(connection: ExecConnection, isRepeat: boolean): Promise<boolean> {
    const { argv, cwd, env, limits } = this.#spec
    const confined = limits === null ? {} : { sandbox: sandboxRequest(limits) }
    try {
      await connection.request('process/start', { processId: this.#id, argv: [...argv], cwd, env, ...confined })
      this.#started = true
      return true
    } catch (error) {
      if (error instanceof ConnectionClosedError) return false
      // It was asked for and not answered.
      if (error instanceof EnvironmentUnreachableError) this.onLost(error.message)
      if (!isRepeat || !isKnownAlready(error)) throw error
      this.#started = true
      this.#fetch()
      return true
    }
  }

  #fetch(): void {
    if (this.#fetching || this.#settle === null) return
    this.#fetching = true
    void this.#fetchAll().catch((error: unknown) => this.onLost(error instanceof Error ? error.message : String(error)))
  }

  async #fetchAll(): Promise<void> {
    let waitMs = 0
    do {
      const read = await this.#link.ask('process/read', { processId: this.#id, afterSeq: this.#lastSeq, waitMs })
      waitMs = patienceMs
      this.#heardSeq = Math.max(this.#heardSeq, read.lastSeq)
      this.#takeRead(read)
    } while (this.#settle !== null && this.#lastSeq < this.#heardSeq)
    this.#fetching = false
  }

  #takeRead(read: ExecResultOf<'process/read'>): void {
    const { chunks, gap, nextSeq, lastSeq, exited, exitCode, closed } = read
    if (gap !== null) this.#spec.onOutput(lostOutput, 'stdout')
    for (const { seq, stream, chunk } of chunks) {
      if (seq > this.#lastSeq) this.#spec.onOutput(Buffer.from(chunk, 'base64'), stream)
    }
    this.#lastSeq = Math.max(this.#lastSeq, nextSeq - 1)
    if (exited) this.#exitCode = exitCode
    this.#triedNetwork ||= read.sandboxDenied ?? false
    this.#failure ??= read.failure ?? null
    // Exit and close have numbers too, which no chunk carries; not every exec-server counts them in.
    if (closed && (chunks.length === 0 || nextSeq > lastSeq)) this.#end()
  }

  #end(): void {
    if (this.#failure !== null) this.#finish({ kind: 'notStarted', why: this.#failure, sandboxBroke: true })
    else this.#finish({ kind: 'ended', exitCode: this.#exitCode, triedNetwork: this.#triedNetwork })
  }

  #tell(send: (connection: ExecConnection) => Promise<unknown>): void {
    if (this.#settle === null) return
    this.#link
      .connection()
      .then(send)
      .catch(() => undefined)
  }

  #finish(end: RemoteEnd): void {
    const settle = this.#settle
    if (settle === null) return
    this.#settle = null
    this.#unwatch()
    settle(end)
  }
}

/** For what was announced and is not there yet. */
const patienceMs = 1000

const lostOutput = Buffer.from(
  '\n[output was lost here: more came than the exec-server keeps while the link is away]\n',
)

function isKnownAlready(error: unknown): boolean {
  return error instanceof RpcError && error.data?.code === 'processExists'
}

/** Its setting up failed there, or it was found out only now that nothing there can set it up. */
function isOfTheSandbox({ data }: RpcError): boolean {
  const codes = ['sandboxUnavailable', 'sandboxNotUnderstood']
  return codes.includes(String(data?.code)) || data?.['subject'] === 'sandbox'
}

function startFailure(error: unknown): RemoteEnd {
  if (error instanceof EnvironmentUnreachableError)
    return { kind: 'notStarted', why: error.message, sandboxBroke: false }
  if (error instanceof RpcError) return { kind: 'notStarted', why: error.message, sandboxBroke: isOfTheSandbox(error) }
  return { kind: 'lost', why: String(error) }
}
