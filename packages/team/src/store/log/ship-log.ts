import type { LocalCopy, Shipment } from '@parley/engine/shared-store'
import type { StorageError } from '@parley/journal'
import { storeError } from '../connection/store-trouble.ts'
import { createTries } from '../connection/tries.ts'
import type { Nodes } from '../servers/nodes.ts'
import type { Claim } from '../servers/owners.ts'
import { rightToAct } from '../servers/right-to-act.ts'
import { type AckMark, writeMark } from './ack-mark.ts'
import { type SendPorts, sendLines } from './send-lines.ts'

/** Row of a conversation in lists. */
export interface Described {
  readonly row: unknown
  readonly updatedAtMs: number
}

export interface ShipPorts extends SendPorts {
  readonly claim: Claim
  /** Row that lists showed when it was claimed. */
  readonly row: unknown
  readonly nodes: Pick<Nodes, 'lapses' | 'renew'>
  /** Stores what lists show. */
  readonly putRow: (row: Described) => Promise<void>
  /** True for a log that may be longer here than in the store: it is marked once all of it is acknowledged. */
  readonly isOwn: boolean
}

/** Time that closing waits for a store in trouble, in ms. */
const lastTriesMs = 2000

/** Sends the lines of a log beyond a mark, one message at a time. */
export function shipLog(copy: LocalCopy, start: AckMark, ports: ShipPorts): Shipment {
  const { files, claim, name, isOwn } = ports
  const sender = sendLines(copy, ports)
  const tries = createTries(name)
  const awaited = awaitBytes(start.bytes)
  const right = rightToAct(ports, awaited)
  let mark = start
  let written = start.bytes
  let row: Described | null = null
  let running: Promise<void> | null = null
  let closed: Promise<void> | null = null

  async function putRow(): Promise<void> {
    const now = row
    if (now === null) return
    await tries.persist(() => ports.putRow(now))
    if (row === now) row = null
  }

  async function putLines(): Promise<void> {
    if (mark.bytes >= written) return
    // Read once: another try with more lines would not be known as the same message.
    const outgoing = await tries.persist(async () => sender.next(mark, written))
    mark = await tries.persist(() => sender.send(outgoing, mark))
    if (!isOwn || mark.bytes >= written) writeMark(files, copy.acked, mark)
  }

  /**
   * Stores the row before lines that are written later. The row of a new log follows its first lines: a row without
   * lines looks like a lost log.
   */
  async function putBoth(): Promise<void> {
    const isNew = mark.bytes === 0
    if (!isNew) await putRow()
    await putLines()
    if (isNew) await putRow()
    awaited.acknowledged(mark.bytes)
  }

  async function run(): Promise<void> {
    try {
      // Waits until the caller has described the lines that it wrote.
      await null
      while ((row !== null && written > 0) || mark.bytes < written) await putBoth()
    } catch (error) {
      awaited.fail(storeError('write to', name, error))
    } finally {
      running = null
    }
  }

  function begin(): void {
    if (awaited.failure === null && closed === null) running ??= run()
  }

  async function close(): Promise<void> {
    right.end()
    const last = setTimeout(tries.end, lastTriesMs)
    await running
    clearTimeout(last)
    sender[Symbol.dispose]()
    await claim.release()
    if (awaited.failure !== null && mark.bytes < written) throw awaited.failure
  }

  return {
    epoch: claim.epoch,
    row: ports.row,
    wrote(sizeBytes) {
      written = sizeBytes
      begin()
    },
    describe(value, updatedAtMs = Date.now()) {
      row = { row: value, updatedAtMs }
      begin()
    },
    acknowledged: awaited.upTo,
    mayAct: right.mayAct,
    assertMayAct: right.assertMayAct,
    taken: right.taken,
    get trouble() {
      return awaited.failure ?? tries.trouble ?? right.trouble
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Promises for the bytes of a log that a store acknowledges. */
interface AwaitedBytes {
  /** Resolves when the first bytes are acknowledged. Rejects once nothing will be any more. */
  upTo(sizeBytes: number): Promise<void>
  acknowledged(sizeBytes: number): void
  /** Ends it; the first failure stands. */
  fail(error: StorageError): void
  /** Failure after which nothing is acknowledged; null before one. */
  readonly failure: StorageError | null
}

export function awaitBytes(startBytes: number): AwaitedBytes {
  const waiting: { readonly upTo: number; readonly done: PromiseWithResolvers<void> }[] = []
  let reached = startBytes
  let failure: StorageError | null = null
  return {
    upTo(sizeBytes) {
      if (sizeBytes <= reached) return Promise.resolve()
      if (failure !== null) return Promise.reject(failure)
      const done = Promise.withResolvers<void>()
      waiting.push({ upTo: sizeBytes, done })
      return done.promise
    },
    acknowledged(sizeBytes) {
      reached = sizeBytes
      while (waiting[0] !== undefined && waiting[0].upTo <= reached) waiting.shift()?.done.resolve()
    },
    fail(error) {
      failure ??= error
      for (const { done } of waiting.splice(0)) done.reject(error)
    },
    get failure() {
      return failure
    },
  }
}
