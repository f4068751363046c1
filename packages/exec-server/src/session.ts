import { randomUUID } from 'node:crypto'
import { lstat, mkdir, readdir, readlink, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMark, type Host, isOwnerAlive, type ProcessSpec, parseMark, type SpawnError } from '@parley/host'
import type { Fence } from '@parley/protocol/exec'
import { removeTree } from '@parley/workspace'
import { type Copies, createCopies } from './copies.ts'
import { createGatherer } from './output/gatherer.ts'
import type { RetentionLimits } from './output/retained-output.ts'
import { createOpenPorts } from './ports/open-ports.ts'
import { ProcessRecord, type SessionOutput } from './process-record.ts'
import { type SandboxedStart, unsandboxedStart } from './sandbox/enforce-policy.ts'
import { createSharedLoopbacks } from './sandbox/shared-loopbacks.ts'
import type { ClientLink } from './wire/client-link.ts'
import { processErrors } from './wire/requests.ts'

/** Unsent bytes above which the processes are paused. */
const stalledBytes = 1024 * 1024
/** Time and bounds within which ended processes can still be read. */
const keptMs = 30_000
const keptRecords = 256
const keptBytes = 16 * 1024 * 1024

const killedBeforeStart: SpawnError = {
  code: 'ECANCELED',
  subject: 'system',
  message: 'It was ended before it had started',
}

/** Chunks of a process that are kept in the session of a conversation: all are read again by the next server. */
const chunksForNextServer = 256 * 1024

/** Processes of one client, or of one conversation, across connections. */
export class ExecSession implements SessionOutput {
  readonly id = randomUUID()
  readonly scratch = createScratch()
  readonly loopbacks = createSharedLoopbacks()
  readonly ports = createOpenPorts(this.loopbacks)
  readonly copies: Copies
  readonly retention: RetentionLimits
  readonly #host: Host
  readonly #records = new Map<string, ProcessRecord>()
  /** Records that are dropped once their processes have ended. */
  readonly #unwanted = new WeakSet<ProcessRecord>()
  /** Starts that have not ended, by the ids of their processes. */
  readonly #starting = new Map<string, Promise<unknown>>()
  readonly #gatherer = createGatherer()
  #fence: Fence | null
  #link: ClientLink | null = null
  #stalled = false
  #ended = false

  constructor(host: Host, retention: RetentionLimits, fence: Fence | null) {
    this.#host = host
    this.copies = createCopies(host)
    this.retention = fence === null ? retention : { ...retention, chunks: chunksForNextServer }
    this.#fence = fence
  }

  /** Conversation that it belongs to, with the epoch of the server that has it; null for a session of a client. */
  get fence(): Fence | null {
    return this.#fence
  }

  /** Hands the session over to the server of a later epoch: processes run on, and the earlier server's ports close. */
  passTo(fence: Fence): void {
    this.#fence = fence
    this.setLink(null)
    this.ports.closeAll()
  }

  get link(): ClientLink | null {
    return this.#link
  }

  get isStalled(): boolean {
    return this.#stalled
  }

  get isEnded(): boolean {
    return this.#ended
  }

  setLink(link: ClientLink | null): void {
    this.#gatherer.flush()
    this.#link = link
    this.#stalled = false
    for (const record of this.#records.values()) record.linkChanged()
  }

  send(line: string): void {
    const link = this.#link
    if (link === null) return
    link.sendLine(line)
    if (!this.#stalled && link.bufferedBytes > stalledBytes) void this.#stall(link)
  }

  /** Returns the record of a process. Throws `unknownProcess`. */
  record(processId: string): ProcessRecord {
    const record = this.#records.get(processId)
    if (record === undefined) throw processErrors.unknown(processId)
    return record
  }

  get processes(): { processId: string; ageMs: number; hidden?: string[] }[] {
    return [...this.#records.values()].map(({ id: processId, ageMs, hidden: { all } }) => ({
      processId,
      ageMs,
      ...(all.length === 0 ? {} : { hidden: [...all] }),
    }))
  }

  /** Drops the record of a process that has ended, or that was killed, once it ends; returns false for any other. */
  forget(processId: string): boolean {
    const record = this.#records.get(processId)
    if (record === undefined || !(record.isClosed || record.isKilled)) return false
    if (record.isClosed) this.#forget(record)
    else this.#unwanted.add(record)
    return true
  }

  has(processId: string): boolean {
    return this.#records.has(processId)
  }

  /**
   * Starts a process and resolves with its sandbox's name. The id is reserved first, and free again after a failure.
   * Rejects with that failure also when the request is repeated meanwhile, as after a lost link.
   */
  async start(processId: string, spec: ProcessSpec, prepare: (() => Promise<SandboxedStart>) | null): Promise<string> {
    if (this.#ended) throw processErrors.sessionEnded()
    if (this.#records.has(processId)) {
      await this.#starting.get(processId)
      throw processErrors.exists(processId)
    }
    const started = this.#start(processId, spec, prepare)
    this.#starting.set(processId, started)
    try {
      return await started
    } finally {
      this.#starting.delete(processId)
    }
  }

  async #start(processId: string, spec: ProcessSpec, prepare: (() => Promise<SandboxedStart>) | null): Promise<string> {
    const record = new ProcessRecord(processId, spec.terminal !== null, this)
    this.#records.set(processId, record)
    try {
      const start = prepare === null ? unsandboxedStart : await record.whilePreparing(prepare())
      if (record.isKilled) {
        start.sandbox.release?.()
        throw processErrors.spawnFailed(killedBeforeStart)
      }
      await this.#run(record, spec, start)
      return start.type
    } catch (error) {
      this.#forget(record)
      throw error
    }
  }

  async #run(record: ProcessRecord, spec: ProcessSpec, { sandbox, onBroken }: SandboxedStart): Promise<void> {
    const process = this.#host.spawnProcess(spec, {
      sandbox,
      onOutput: (stream, chunk) => this.#gatherer.take(record, stream, chunk),
      onExit: (exit) => {
        this.#gatherer.flush()
        if (exit.spawnError !== undefined) onBroken()
        record.exit(exit, sandbox.limits !== null)
      },
    })
    record.attach(process)
    const failure = await process.started
    if (failure?.subject === 'sandbox') onBroken()
    if (failure !== null) throw processErrors.spawnFailed(failure)
    void process.closed.then((exchanged) => this.#close(record, () => record.close(exchanged)))
  }

  /** Kills all process trees and resolves when they are gone. Their last output is dropped. */
  async end(): Promise<void> {
    this.#ended = true
    this.setLink(null)
    const records = [...this.#records.values()]
    for (const record of records) {
      record.process?.resume()
      record.kill()
    }
    await Promise.all(records.map(({ process }) => process?.closed))
    for (const record of records) this.#forget(record)
    this.copies.remove()
    this.ports.closeAll()
    await Promise.all([this.scratch.remove(), this.loopbacks.close()])
  }

  async #stall(link: ClientLink): Promise<void> {
    this.#setStalled(true)
    await link.drained()
    if (this.#link === link) this.#setStalled(false)
  }

  #setStalled(stalled: boolean): void {
    this.#stalled = stalled
    for (const record of this.#records.values()) record.regulate()
  }

  #close(record: ProcessRecord, close: () => void): void {
    this.#gatherer.flush()
    close()
    if (this.#unwanted.has(record)) this.#forget(record)
    // The record of a conversation's process is kept until its server has recorded the end.
    if (this.fence !== null) return
    this.#expire(record)
    if (this.#link !== null) this.#boundKept()
  }

  /** Drops a record after a while. Without a connection it is kept, since its client cannot have read all of it. */
  #expire(record: ProcessRecord): void {
    const expire = () => {
      if (this.#link === null && !this.#ended) this.#expire(record)
      else this.#forget(record)
    }
    setTimeout(expire, keptMs).unref()
  }

  #boundKept(): void {
    const kept = [...this.#records.values()].filter((record) => record.isClosed)
    let bytes = kept.reduce((sum, record) => sum + record.memoryBytes, 0)
    let count = kept.length
    for (const record of kept) {
      if (count <= keptRecords && bytes <= keptBytes) return
      count -= 1
      bytes -= record.memoryBytes
      this.#forget(record)
    }
  }

  #forget(record: ProcessRecord): void {
    if (this.#records.get(record.id) === record) this.#records.delete(record.id)
    record.forget()
  }
}

const name = 'parley-exec'

/** Folder that the sandboxed processes of one session have as /tmp. */
interface Scratch {
  /** Resolves with the folder, created on first use with mode 0700. Rejects after `remove`. */
  folder(): Promise<string>
  remove(): Promise<void>
}

function createScratch(): Scratch {
  let made: Promise<string> | null = null
  let isOver = false
  return {
    folder() {
      made ??= isOver ? Promise.reject(new Error('the session has ended')) : makeFolder()
      return made
    },
    async remove() {
      isOver = true
      const folder = await made?.catch(() => null)
      if (typeof folder === 'string') await removeTree(folder)
    },
  }
}

async function makeFolder(): Promise<string> {
  const within = await realpath(tmpdir())
  const prefix = `${name}-${await pidNamespace()}-`
  await removeOwnerless(within, prefix).catch(() => undefined)
  const folder = join(within, `${prefix}${createMark()}`)
  await mkdir(folder, 0o700)
  return folder
}

/** Returns the pid namespace, since an owner in another container that shares the folder looks dead from here. */
async function pidNamespace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '')
  return /\d+/.exec(link)?.[0] ?? '0'
}

/**
 * Removes folders of killed exec-servers of this user. Safe in /tmp: its sticky bit keeps others from replacing them.
 */
async function removeOwnerless(within: string, prefix: string): Promise<void> {
  for (const found of await readdir(within)) {
    const owner = found.startsWith(prefix) ? parseMark(found.slice(prefix.length)) : null
    if (owner !== null && !isOwnerAlive(owner)) await removeOurs(join(within, found))
  }
}

async function removeOurs(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return
  await removeTree(folder)
}
