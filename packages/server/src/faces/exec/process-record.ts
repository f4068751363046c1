import type { OutputStream, ProcessExit, RunningProcess } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { exitCodeOf } from './exit-code.ts'
import type { Link } from './link.ts'
import { closedLine, exitedLine, outputLine } from './notices.ts'
import type { OutputSink } from './output/gatherer.ts'
import { RetainedOutput, retentionLimits } from './output/retained-output.ts'
import { createWriteIds } from './write-ids.ts'

/** Kept free while nobody is connected, for what was sent and may not have arrived. */
const unsureBytes = 8 * 1024 * 1024

/** The session's connection, asked for each time: it may change between two chunks. */
export interface Outlet {
  readonly link: Link | null
  /** The connection does not take what it is sent. */
  readonly isStalled: boolean
  send(line: string): void
}

export interface ReadRange {
  readonly afterSeq: number
  readonly maxBytes: number
}

/** One process as its client sees it: numbered output, exit, close, and what is kept of them. */
export class ProcessRecord implements OutputSink {
  readonly id: string
  readonly hasTerminal: boolean
  readonly writeIds = createWriteIds()
  readonly #idJson: string
  readonly #outlet: Outlet
  readonly #retained = new RetainedOutput()
  readonly #waiting = new Set<() => void>()
  #process: RunningProcess | null = null
  #seq = 0
  #exitCode: number | null = null
  #closed = false
  #unseen = { bytes: 0, chunks: 0 }

  constructor(id: string, hasTerminal: boolean, outlet: Outlet) {
    this.id = id
    this.hasTerminal = hasTerminal
    this.#idJson = JSON.stringify(id)
    this.#outlet = outlet
  }

  get process(): RunningProcess | null {
    return this.#process
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#exitCode === null
  }

  get isClosed(): boolean {
    return this.#closed
  }

  get memoryBytes(): number {
    return this.#retained.memoryBytes
  }

  attach(process: RunningProcess): void {
    this.#process = process
  }

  output(stream: OutputStream, bytes: Buffer): void {
    const chunk = { seq: this.#next(), stream, chunk: bytes.toString('base64') }
    this.#retained.push(chunk, bytes)
    if (this.#outlet.link === null)
      this.#unseen = { bytes: this.#unseen.bytes + bytes.length, chunks: this.#unseen.chunks + 1 }
    this.#say((link) => outputLine(link.spelling, this.#idJson, chunk))
    this.regulate()
  }

  exit(exit: ProcessExit): void {
    const exitCode = exitCodeOf(exit)
    this.#exitCode = exitCode
    const seq = this.#next()
    this.#say((link) => exitedLine(link.spelling, this.#idJson, { seq, exitCode }))
  }

  close(): void {
    const seq = this.#next()
    this.#closed = true
    this.#say((link) => closedLine(link.spelling, this.#idJson, seq))
  }

  /** Reads on, or lets the process wait in its write. */
  regulate(): void {
    if (this.#mustWait()) this.#process?.pause()
    else this.#process?.resume()
  }

  /** A connection has come or gone; from now on it counts what nobody has seen. */
  linkChanged(): void {
    this.#unseen = { bytes: 0, chunks: 0 }
    this.regulate()
  }

  read({ afterSeq, maxBytes }: ReadRange): ExecResultOf<'process/read'> {
    const { chunks, missingThrough } = this.#retained.read(afterSeq, maxBytes)
    const last = chunks.at(-1)?.seq ?? Math.max(afterSeq, missingThrough ?? 0)
    return {
      chunks: [...chunks],
      nextSeq: last + 1,
      gap: missingThrough === null ? null : { fromSeq: afterSeq + 1, toSeq: missingThrough },
      exited: this.#exitCode !== null,
      exitCode: this.#exitCode,
      closed: this.#closed,
      lastSeq: this.#seq,
    }
  }

  /** Resolves when there is something above `seq`, when it never will be, and when waiting has no more sense. */
  async news(seq: number, until: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void> {
    if (this.#seq > seq || this.#closed || until.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, until.waitMs)
    until.signal.addEventListener('abort', () => resolve(), { once: true })
    this.#waiting.add(resolve)
    await promise
    this.#waiting.delete(resolve)
    clearTimeout(timer)
  }

  forget(): void {
    this.#retained.close()
    this.#wake()
  }

  #next(): number {
    this.#seq += 1
    return this.#seq
  }

  #say(line: (link: Link) => string): void {
    const { link } = this.#outlet
    if (link !== null) this.#outlet.send(line(link))
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }

  #mustWait(): boolean {
    if (this.#outlet.link !== null) return this.#outlet.isStalled
    const { bytes, chunks } = this.#unseen
    return bytes >= this.#retained.capacityBytes - unsureBytes || chunks >= retentionLimits.chunks / 2
  }
}
