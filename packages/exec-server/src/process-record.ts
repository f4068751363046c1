import { type Exchanged, exitCodeOf, type OutputStream, type ProcessExit, type RunningProcess } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import type { OutputSink } from './output/gatherer.ts'
import { RetainedOutput, type RetentionLimits } from './output/retained-output.ts'
import { type ClientLink, type Closed, closedLine, type Exited, exitedLine, outputLine } from './wire/client-link.ts'
import { createHiddenTexts, createWriteIds } from './wire/requests.ts'
import { createWaiters, type WaitLimit } from './wire/waiters.ts'

/** Part of the capacity for output without a connection; the rest keeps sent output that may not have arrived. */
const unseenPart = 7 / 8
const replayBytes = 256 * 1024
/** Time in which a resumed client can request missing output before new output may overwrite it. */
const confirmWithinMs = 1000

/** Connection and limits of the process's session; the connection may change between two chunks. */
export interface SessionOutput {
  readonly retention: RetentionLimits
  readonly link: ClientLink | null
  /** True while the connection takes no more bytes. */
  readonly isStalled: boolean
  send(line: string): void
}

/**
 * Process as its client knows it: numbered output, exit and close. A cursor marks sent output, so that a new connection
 * gets missed output before new output.
 */
export class ProcessRecord implements OutputSink {
  readonly id: string
  readonly hasTerminal: boolean
  readonly writeIds = createWriteIds()
  readonly hidden = createHiddenTexts()
  readonly #waiters = createWaiters()
  readonly #idJson: string
  readonly #session: SessionOutput
  readonly #retained: RetainedOutput
  readonly #startedMs = performance.now()
  #endedMs: number | null = null
  #process: RunningProcess | null = null
  #seq = 0
  /** Last number that was sent. */
  #sentSeq = 0
  #exit: Exited | null = null
  #closed: Closed | null = null
  #isReplaying = false
  #preparing: Promise<unknown> | null = null
  #isKilled = false
  /** Last number sent to a lost connection, until the client has confirmed it by reading on. */
  #unconfirmedThrough: number | null = null
  #unseen = { bytes: 0, chunks: 0 }

  constructor(id: string, hasTerminal: boolean, session: SessionOutput) {
    this.id = id
    this.hasTerminal = hasTerminal
    this.#idJson = JSON.stringify(id)
    this.#session = session
    this.#retained = new RetainedOutput(session.retention)
  }

  get process(): RunningProcess | null {
    return this.#process
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#exit === null
  }

  get isClosed(): boolean {
    return this.#closed !== null
  }

  /** Resolves when there is output above `seq`, or can be no more. */
  toldAfter(seq: number, limit: WaitLimit): Promise<void> {
    return this.#waiters.until(() => this.#seq > seq || this.isClosed, limit)
  }

  /** Time since its start, or that it ran. */
  get ageMs(): number {
    return Math.round((this.#endedMs ?? performance.now()) - this.#startedMs)
  }

  get memoryBytes(): number {
    return this.#retained.memoryBytes
  }

  attach(process: RunningProcess): void {
    this.#process = process
  }

  /** Waits for the sandbox; calls on the process wait for it too. */
  async whilePreparing<Result>(work: Promise<Result>): Promise<Result> {
    this.#preparing = work.catch(() => undefined)
    return work
  }

  /** Resolves when the process has started or failed to. */
  async settled(): Promise<void> {
    await this.#preparing
    await this.#process?.started
  }

  /** Kills the process tree, or prevents its start. Returns false when the process has ended. */
  kill(): boolean {
    const isStarting = this.#process === null
    this.#isKilled = true
    this.#process?.kill()
    return isStarting || this.#exit === null
  }

  /** True once the process must not be started. */
  get isKilled(): boolean {
    return this.#isKilled
  }

  output(stream: OutputStream, bytes: Buffer): void {
    const seq = this.#next()
    this.#retained.push({ seq, stream }, bytes)
    this.#unseen.bytes += bytes.length
    this.#unseen.chunks += 1
    this.#send(seq, ({ spelling }) =>
      outputLine(spelling, this.#idJson, { seq, stream, chunk: bytes.toString('base64') }),
    )
    this.regulate()
  }

  exit(exit: ProcessExit, isConfined: boolean): void {
    const exitCode = exitCodeOf(exit)
    const sandboxDenied = isConfined && exitCode !== 0 && exit.triedNetwork === true
    const exited = { seq: this.#next(), exitCode, sandboxDenied, failure: exit.spawnError?.message ?? null }
    this.#exit = exited
    this.#endedMs = performance.now()
    this.#send(exited.seq, (link) => exitedLine(link.spelling, this.#idJson, exited))
  }

  close(exchanged: readonly Exchanged[]): void {
    const closed = { seq: this.#next(), exchanged }
    this.#closed = closed
    this.#send(closed.seq, (link) => closedLine(link.spelling, this.#idJson, closed))
  }

  /** Pauses or resumes reading of the process's output. */
  regulate(): void {
    if (this.#mustWait()) this.#process?.pause()
    else this.#process?.resume()
  }

  /** Called when the session's connection has come or gone. */
  linkChanged(): void {
    this.#unseen = { bytes: 0, chunks: 0 }
    this.#isReplaying = false
    const { link } = this.#session
    if (link === null) this.#unconfirmedThrough = this.#sentSeq
    else this.#connected(link)
    this.regulate()
  }

  #connected(link: ClientLink): void {
    if (this.#sentSeq < this.#seq) void this.#replay(link)
    setTimeout(() => this.#confirm(), confirmWithinMs).unref()
  }

  #confirm(): void {
    if (this.#unconfirmedThrough === null || this.#session.link === null) return
    this.#unconfirmedThrough = null
    this.regulate()
  }

  /** Returns the kept output above `afterSeq`, up to `maxBytes`. */
  read(afterSeq: number, maxBytes: number): ExecResultOf<'process/read'> {
    const { chunks, missingThrough } = this.#retained.read(afterSeq, maxBytes)
    const failure = this.#exit?.failure ?? null
    const { exchanged = [] } = this.#closed ?? {}
    const last = this.#throughEnds(chunks.at(-1)?.seq ?? Math.max(afterSeq, missingThrough ?? 0))
    if (last >= (this.#unconfirmedThrough ?? 0)) this.#confirm()
    return {
      chunks: [...chunks],
      nextSeq: last + 1,
      gap: missingThrough === null ? null : { fromSeq: afterSeq + 1, toSeq: missingThrough },
      exited: this.#exit !== null,
      exitCode: this.#exit?.exitCode ?? null,
      closed: this.isClosed,
      lastSeq: this.#seq,
      sandboxDenied: this.#exit?.sandboxDenied ?? false,
      ...(failure === null ? {} : { failure }),
      ...(exchanged.length === 0 ? {} : { exchanged: [...exchanged] }),
    }
  }

  /**
   * Returns the last number after exit and close, which have no chunk, so that the next read does not return at once.
   */
  #throughEnds(last: number): number {
    const through = this.#exit?.seq === last + 1 ? last + 1 : last
    return this.#closed?.seq === through + 1 ? through + 1 : through
  }

  forget(): void {
    this.#retained.close()
    this.#waiters.wake()
  }

  #next(): number {
    this.#seq += 1
    return this.#seq
  }

  #send(seq: number, line: (link: ClientLink) => string): void {
    const { link } = this.#session
    if (link !== null && this.#sentSeq === seq - 1 && !this.#isReplaying) {
      this.#sentSeq = seq
      this.#session.send(line(link))
    }
    this.#waiters.wake()
  }

  /** Sends missed output. The process is paused meanwhile, so that unsent output is not overwritten. */
  async #replay(link: ClientLink): Promise<void> {
    this.#isReplaying = true
    while (this.#session.link === link && this.#sentSeq < this.#seq) {
      this.#replayNext(link)
      await link.drained()
    }
    if (this.#session.link !== link) return
    this.#isReplaying = false
    this.#unseen = { bytes: 0, chunks: 0 }
    this.regulate()
  }

  #replayNext(link: ClientLink): void {
    const { chunks, missingThrough } = this.#retained.read(this.#sentSeq, replayBytes)
    const { spelling } = link
    const lines = chunks.map((chunk) => ({ seq: chunk.seq, line: outputLine(spelling, this.#idJson, chunk) }))
    const through = chunks.at(-1)?.seq ?? this.#seq
    const exit = this.#exit
    if (exit !== null && exit.seq > this.#sentSeq && (exit.seq <= through || chunks.length === 0))
      lines.push({ seq: exit.seq, line: exitedLine(spelling, this.#idJson, exit) })
    if (this.#closed !== null && chunks.length === 0)
      lines.push({ seq: this.#closed.seq, line: closedLine(spelling, this.#idJson, this.#closed) })
    for (const { line } of lines.sort((a, b) => a.seq - b.seq)) this.#session.send(line)
    this.#sentSeq = Math.max(this.#sentSeq, missingThrough ?? 0, through)
  }

  #mustWait(): boolean {
    if (this.#session.link !== null)
      return this.#session.isStalled || this.#isReplaying || this.#unconfirmedThrough !== null
    const { bytes, chunks } = this.#unseen
    return bytes >= this.#retained.capacityBytes * unseenPart || chunks >= this.#session.retention.chunks * unseenPart
  }
}
