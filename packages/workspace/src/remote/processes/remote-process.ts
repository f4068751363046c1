import { randomBytes } from 'node:crypto'
import type { CommandSpec, Exchanged, ProcessInput, SandboxLimits } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { ConnectionClosedError, RpcError } from '@parley/rpc'
import { errorMessage } from '@parley/text'
import { EnvironmentUnreachableError } from '../../files/errors.ts'
import type { ExecConnection, ExecNotice } from '../exec-connection.ts'
import type { ExecLink, WatchedProcess } from '../link.ts'
import { sandboxRequest } from '../remote-sandboxes.ts'
import { type RemoteEnd, startFailure } from './remote-end.ts'

export interface RemoteProcessSpec {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Id on the remote machine; default a random one. */
  readonly name?: string
  /** True for one that was started before, by any server of the conversation. */
  readonly isRunning: boolean
  /** Sandbox limits; null runs the process with all rights of the exec-server. */
  readonly limits: SandboxLimits | null
  /** Name of the loopback that it shares with processes of equal limits. */
  readonly loopback?: string
  /** Kind of its stdin; absent for an empty one. */
  readonly input?: CommandSpec['input']
  /** Receives each byte once, in order. `stderr` is separate only where the exec-server gives it a pipe of its own. */
  readonly onOutput: (chunk: Buffer, stream: 'stdout' | 'stderr' | 'pty') => void
}

type Settle = (end: RemoteEnd) => void

/**
 * Process on the remote machine, started at most once.
 *
 * Its notifications carry sequence numbers without gaps. Missing ones are read again after a reconnection, so output
 * arrives without loss or repetition.
 */
export class RemoteProcess implements WatchedProcess {
  readonly ended: Promise<RemoteEnd>
  readonly started: Promise<void>
  readonly #link: ExecLink
  readonly #spec: RemoteProcessSpec
  readonly #id: string
  readonly #unwatch: () => void
  #settle: Settle | null = null
  #started = false
  readonly #running = Promise.withResolvers<void>()
  /** Sequence number of the last notification processed. */
  #lastSeq = 0
  /** Highest sequence number announced. */
  #announcedSeq = 0
  #exitCode: number | null = null
  #triedNetwork = false
  #failure: string | null = null
  #exchanged: readonly Exchanged[] = []
  /** True while missing notifications are read; new ones are then ignored, since the read returns them too. */
  #fetching = false

  constructor(link: ExecLink, spec: RemoteProcessSpec) {
    this.#link = link
    this.#spec = spec
    this.#id = spec.name ?? `p-${randomBytes(6).toString('hex')}`
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.started = this.#running.promise
    this.#unwatch = link.watch(this.#id, this)
    void (spec.isRunning ? this.#follow() : this.#start()).catch((error: unknown) => this.#finish(startFailure(error)))
  }

  /** Signals the process group. Does not wait; has no effect after the end. */
  signal(signal: 'interrupt' | 'terminate'): void {
    this.#send((connection) => connection.request('process/signal', { processId: this.#id, signal }))
  }

  /** Way to its stdin. A write is delivered once, also when the link is lost meanwhile. */
  input(): ProcessInput {
    let unwrittenBytes = 0
    let isOpen = this.#spec.input !== undefined
    const send = async (bytes: Buffer, how: { readonly closeStdin: true } | { readonly hidden?: true }) => {
      const writeId = randomBytes(6).toString('hex')
      const params = { processId: this.#id, chunk: bytes.toString('base64'), writeId, ...how }
      unwrittenBytes += bytes.length
      const sent = await this.#link.ask('process/write', params).then(
        () => true,
        () => false,
      )
      unwrittenBytes -= bytes.length
      return sent
    }
    const takes = () => isOpen && this.#settle !== null
    return {
      get isOpen() {
        return takes()
      },
      isTerminal: typeof this.#spec.input === 'object',
      get unwrittenBytes() {
        return unwrittenBytes
      },
      write: (bytes, how = {}) => (takes() ? send(bytes, how) : Promise.resolve(false)),
      end: () => {
        if (!takes() || typeof this.#spec.input === 'object') return false
        isOpen = false
        void send(Buffer.alloc(0), { closeStdin: true })
        return true
      },
      resize: (size) => {
        if (!takes() || typeof this.#spec.input !== 'object') return false
        this.#send((connection) => connection.request('process/resize', { processId: this.#id, size }))
        return true
      },
    }
  }

  /** Kills the whole process tree, also when the link breaks at the request. Does not wait. */
  kill(): void {
    if (this.#settle === null) return
    this.#link.ask('process/terminate', { processId: this.#id }).catch(() => undefined)
  }

  /** Resolves `ended` as lost without waiting for the process. */
  abandon(why: string): void {
    this.#finish({ kind: 'lost', why })
  }

  /** Resolves `ended` without an end: the process runs on, and its output is kept for the next server. */
  leave(): void {
    this.#finish({ kind: 'left' })
  }

  onNotice(notice: ExecNotice): void {
    const { seq } = notice.params
    this.#announcedSeq = Math.max(this.#announcedSeq, seq)
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
        this.#exchanged = notice.params.exchanged ?? []
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
   * Requests the start until it is answered. Within one session the exec-server rejects a second start with the same id;
   * after a change of session the process counts as lost, because a repetition could start it twice.
   */
  async #start(): Promise<void> {
    let requestedIn: string | null = null
    while (this.#settle !== null) {
      const connection = await this.#link.connection()
      if (requestedIn !== null && requestedIn !== connection.sessionId) {
        this.onLost('the link was lost while it was being started')
        return
      }
      const isRepeat = requestedIn !== null
      requestedIn = connection.sessionId
      if (await this.#startIn(connection, isRepeat)) return
    }
  }

  /** Reads all output from the first byte on; new output is delivered as always. */
  async #follow(): Promise<void> {
    await this.#link.connection()
    this.#begins()
    this.#fetch()
  }

  async #startIn(connection: ExecConnection, isRepeat: boolean): Promise<boolean> {
    const { argv, cwd, env, limits, loopback, input } = this.#spec
    const confined = limits === null ? {} : { sandbox: sandboxRequest(limits, loopback) }
    const stdin = typeof input === 'object' ? { tty: true, size: input } : { pipeStdin: input === 'pipe' }
    try {
      await connection.request('process/start', {
        processId: this.#id,
        argv: [...argv],
        cwd,
        env,
        ...confined,
        ...(input === undefined ? {} : stdin),
      })
      this.#begins()
      return true
    } catch (error) {
      if (error instanceof ConnectionClosedError) return false
      // The start was requested and not answered.
      if (error instanceof EnvironmentUnreachableError) this.onLost(error.message)
      if (!isRepeat || !isAlreadyStarted(error)) throw error
      this.#begins()
      this.#fetch()
      return true
    }
  }

  #begins(): void {
    this.#started = true
    this.#running.resolve()
  }

  #fetch(): void {
    if (this.#fetching || this.#settle === null) return
    this.#fetching = true
    void this.#fetchAll().catch((error: unknown) => this.onLost(errorMessage(error)))
  }

  async #fetchAll(): Promise<void> {
    let waitMs = 0
    do {
      const where = { processId: this.#id, afterSeq: this.#lastSeq }
      const read = await this.#link.ask('process/read', { ...where, maxBytes: readBytes, waitMs })
      waitMs = readWaitMs
      this.#announcedSeq = Math.max(this.#announcedSeq, read.lastSeq)
      this.#takeRead(read)
    } while (this.#settle !== null && this.#lastSeq < this.#announcedSeq)
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
    this.#exchanged = read.exchanged ?? this.#exchanged
    // Exit and close have numbers of their own that no chunk carries; not every exec-server includes them in nextSeq.
    if (closed && (chunks.length === 0 || nextSeq > lastSeq)) this.#end()
  }

  #end(): void {
    if (this.#failure !== null) this.#finish({ kind: 'notStarted', why: this.#failure, sandboxBroke: true })
    else {
      const [exitCode, triedNetwork, exchanged] = [this.#exitCode, this.#triedNetwork, this.#exchanged]
      this.#finish({ kind: 'ended', exitCode, triedNetwork, exchanged })
    }
  }

  #send(send: (connection: ExecConnection) => Promise<unknown>): void {
    const ignore = () => undefined
    if (this.#settle !== null) this.#link.connection().then(send).catch(ignore)
  }

  #finish(end: RemoteEnd): void {
    const settle = this.#settle
    if (settle === null) return
    this.#settle = null
    this.#running.resolve()
    this.#unwatch()
    if (this.#isOver(end)) this.#link.dropped.add(this.#id)
    settle(end)
  }

  /**
   * Returns true for a process that no caller asks for again. A named process that has ended is kept until its end is
   * recorded.
   */
  #isOver({ kind }: RemoteEnd): boolean {
    if (kind === 'left') return false
    return kind === 'lost' || (this.#link.isOfConversation && this.#spec.name === undefined)
  }
}

/** Bytes of one `process/read`: an answer that comes in for longer than the link is silent would break a slow one each time. */
const readBytes = 256 * 1024
/** Time that `process/read` waits for announced notifications. */
const readWaitMs = 1000

const lostOutput = Buffer.from(
  '\n[output was lost here: more came than the exec-server keeps while the link is away]\n',
)

function isAlreadyStarted(error: unknown): boolean {
  return error instanceof RpcError && error.data?.code === 'processExists'
}
