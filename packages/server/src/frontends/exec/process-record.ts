import type { OutputStream, ProcessExit, RunningProcess } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { closedLine, type Exited, exitCodeOf, exitedLine, type Link, outputLine } from './link.ts'
import type { OutputSink } from './output/gatherer.ts'
import { createOutputWaiters } from './output/output-waiters.ts'
import { RetainedOutput, type RetentionLimits } from './output/retained-output.ts'

/** The part of what can be kept that nobody connected may fill: the rest is for what was sent and may not have arrived. */
const unseenPart = 7 / 8
const replayBytes = 256 * 1024
/** Who has come back is given so long to ask for what did not arrive; until then nothing new can overwrite it. */
const asksWithinMs = 1000

/** The session's connection, asked for each time: it may change between two chunks. */
export interface Outlet {
  readonly retention: RetentionLimits
  readonly link: Link | null
  /** The connection does not take what it is sent. */
  readonly isStalled: boolean
  send(line: string): void
}

/**
 * One process as its client sees it: numbered output, exit, close, and what is kept of them. The connection has a
 * cursor: what was said while there was none is told when there is one again, before anything new.
 */
export class ProcessRecord implements OutputSink {
  readonly id: string
  readonly hasTerminal: boolean
  readonly writeIds = createWriteIds()
  readonly news = createOutputWaiters(() => ({ seq: this.#seq, isOver: this.isClosed }))
  readonly #idJson: string
  readonly #outlet: Outlet
  readonly #retained: RetainedOutput
  #process: RunningProcess | null = null
  #seq = 0
  /** The last number that a connection was told of. */
  #sentSeq = 0
  #exit: Exited | null = null
  #closedSeq: number | null = null
  #isReplaying = false
  #preparing: Promise<unknown> | null = null
  #isKilled = false
  /** What was sent to a connection that was lost, while it is open whether it arrived. */
  #unsureThrough: number | null = null
  #unseen = { bytes: 0, chunks: 0 }

  constructor(id: string, hasTerminal: boolean, outlet: Outlet) {
    this.id = id
    this.hasTerminal = hasTerminal
    this.#idJson = JSON.stringify(id)
    this.#outlet = outlet
    this.#retained = new RetainedOutput(outlet.retention)
  }

  get process(): RunningProcess | null {
    return this.#process
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#exit === null
  }

  get isClosed(): boolean {
    return this.#closedSeq !== null
  }

  get memoryBytes(): number {
    return this.#retained.memoryBytes
  }

  attach(process: RunningProcess): void {
    this.#process = process
  }

  /** What is made ready before there is a process; who asks for something of the process waits for it. */
  async whilePreparing<Made>(making: Promise<Made>): Promise<Made> {
    this.#preparing = making.catch(() => undefined)
    return making
  }

  /** It runs, or will not. */
  async settled(): Promise<void> {
    await this.#preparing
    await this.#process?.started
  }

  /** Its whole tree, or what would have become one. False when it has ended. */
  kill(): boolean {
    const isStarting = this.#process === null
    this.#isKilled = true
    this.#process?.kill()
    return isStarting || this.#exit === null
  }

  /** It is not to be started any more. */
  get isKilled(): boolean {
    return this.#isKilled
  }

  output(stream: OutputStream, bytes: Buffer): void {
    const seq = this.#next()
    this.#retained.push({ seq, stream }, bytes)
    this.#unseen.bytes += bytes.length
    this.#unseen.chunks += 1
    this.#say(seq, ({ spelling }) =>
      outputLine(spelling, this.#idJson, { seq, stream, chunk: bytes.toString('base64') }),
    )
    this.regulate()
  }

  exit(exit: ProcessExit, isConfined: boolean): void {
    const exitCode = exitCodeOf(exit)
    const sandboxDenied = isConfined && exitCode !== 0 && exit.triedNetwork === true
    const exited = { seq: this.#next(), exitCode, sandboxDenied, failure: exit.spawnError?.message ?? null }
    this.#exit = exited
    this.#say(exited.seq, (link) => exitedLine(link.spelling, this.#idJson, exited))
  }

  close(): void {
    const seq = this.#next()
    this.#closedSeq = seq
    this.#say(seq, (link) => closedLine(link.spelling, this.#idJson, seq))
  }

  /** Reads on, or lets the process wait in its write. */
  regulate(): void {
    if (this.#mustWait()) this.#process?.pause()
    else this.#process?.resume()
  }

  /** A connection has come or gone. */
  linkChanged(): void {
    this.#unseen = { bytes: 0, chunks: 0 }
    this.#isReplaying = false
    const { link } = this.#outlet
    if (link === null) this.#unsureThrough = this.#sentSeq
    else this.#welcome(link)
    this.regulate()
  }

  #welcome(link: Link): void {
    if (this.#sentSeq < this.#seq) void this.#replay(link)
    setTimeout(() => this.#isSure(), asksWithinMs).unref()
  }

  #isSure(): void {
    if (this.#unsureThrough === null || this.#outlet.link === null) return
    this.#unsureThrough = null
    this.regulate()
  }

  /** What is kept above `afterSeq`, up to `maxBytes`. */
  read(afterSeq: number, maxBytes: number): ExecResultOf<'process/read'> {
    const { chunks, missingThrough } = this.#retained.read(afterSeq, maxBytes)
    const failure = this.#exit?.failure ?? null
    const last = this.#throughEnds(chunks.at(-1)?.seq ?? Math.max(afterSeq, missingThrough ?? 0))
    if (last >= (this.#unsureThrough ?? 0)) this.#isSure()
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
    }
  }

  /** Exit and close have no chunk: the answer tells of them, so who reads on need not be answered at once for them. */
  #throughEnds(last: number): number {
    const through = this.#exit?.seq === last + 1 ? last + 1 : last
    return this.#closedSeq === through + 1 ? through + 1 : through
  }

  forget(): void {
    this.#retained.close()
    this.news.wake()
  }

  #next(): number {
    this.#seq += 1
    return this.#seq
  }

  #say(seq: number, line: (link: Link) => string): void {
    const { link } = this.#outlet
    if (link !== null && this.#sentSeq === seq - 1 && !this.#isReplaying) {
      this.#sentSeq = seq
      this.#outlet.send(line(link))
    }
    this.news.wake()
  }

  /** The process waits meanwhile, so that nothing is overwritten that has still to be told. */
  async #replay(link: Link): Promise<void> {
    this.#isReplaying = true
    while (this.#outlet.link === link && this.#sentSeq < this.#seq) {
      this.#replayNext(link)
      await link.drained()
    }
    if (this.#outlet.link !== link) return
    this.#isReplaying = false
    this.#unseen = { bytes: 0, chunks: 0 }
    this.regulate()
  }

  #replayNext(link: Link): void {
    const { chunks, missingThrough } = this.#retained.read(this.#sentSeq, replayBytes)
    const { spelling } = link
    const lines = chunks.map((chunk) => ({ seq: chunk.seq, line: outputLine(spelling, this.#idJson, chunk) }))
    const through = chunks.at(-1)?.seq ?? this.#seq
    const exit = this.#exit
    if (exit !== null && exit.seq > this.#sentSeq && (exit.seq <= through || chunks.length === 0))
      lines.push({ seq: exit.seq, line: exitedLine(spelling, this.#idJson, exit) })
    if (this.#closedSeq !== null && chunks.length === 0)
      lines.push({ seq: this.#closedSeq, line: closedLine(spelling, this.#idJson, this.#closedSeq) })
    for (const { line } of lines.sort((a, b) => a.seq - b.seq)) this.#outlet.send(line)
    this.#sentSeq = Math.max(this.#sentSeq, missingThrough ?? 0, through)
  }

  #mustWait(): boolean {
    if (this.#outlet.link !== null) return this.#outlet.isStalled || this.#isReplaying || this.#unsureThrough !== null
    const { bytes, chunks } = this.#unseen
    return bytes >= this.#retained.capacityBytes * unseenPart || chunks >= this.#outlet.retention.chunks * unseenPart
  }
}

/** The newest writes by their ids, so that one that is sent again is not delivered again. */
interface WriteIds {
  /** False when it was seen before. */
  isNew(id: string | null | undefined): boolean
}

const remembered = 1000

function createWriteIds(): WriteIds {
  const seen = new Set<string>()
  return {
    isNew(id) {
      if (id === null || id === undefined) return true
      if (seen.has(id)) return false
      seen.add(id)
      if (seen.size > remembered) for (const oldest of seen.values().take(1)) seen.delete(oldest)
      return true
    },
  }
}
