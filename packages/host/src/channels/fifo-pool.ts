import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeOwnFolder } from '../system/own-leftovers.ts'
import { helperPath } from '../system/programs.ts'

/**
 * FIFO without a name. A program can open it again (`echo x > /dev/stderr`), unlike the sockets that Node makes for
 * pipes.
 */
export interface Fifo {
  readonly readFd: number
  readonly writeFd: number
}

export interface FifoPool {
  /** Returns one at once when it is ready. Rejects with the system's error when it cannot make one. */
  take(): Fifo | Promise<Fifo>
  /** Makes a batch unless a few are ready. */
  fill(): Promise<void>
  close(): void
}

/** FIFOs made at a time; each holds two descriptors while it waits. */
const batchSize = 16
const refillBelow = 4

/** Keeps FIFOs ready: making one takes a process (5 ms), too long for the start of a command. */
export function createFifoPool(makeFifos: (count: number) => Promise<Fifo[]> = makeOutputFifos): FifoPool {
  const ready: Fifo[] = []
  let filling: Promise<void> | null = null
  let closed = false
  const store = (fifos: Fifo[]) => {
    if (closed) fifos.forEach(closeFifo)
    else for (const fifo of fifos) ready.push(fifo)
  }
  const fill = async () => {
    if (ready.length >= refillBelow) return
    filling ??= makeFifos(batchSize)
      .then(store)
      .finally(() => {
        filling = null
      })
    await filling
  }
  const takeLater = async (): Promise<Fifo> => {
    for (;;) {
      await fill()
      if (closed) throw new Error('The pool is closed')
      const fifo = ready.shift()
      if (fifo !== undefined) return fifo
    }
  }
  return {
    fill,
    take() {
      const fifo = ready.shift()
      if (fifo === undefined) return takeLater()
      // A failure here is reported when the pool is empty and the next batch fails too.
      void fill().catch(() => {})
      return fifo
    },
    close() {
      closed = true
      ready.splice(0).forEach(closeFifo)
    },
  }
}

export function closeFifo(fifo: Fifo): void {
  closeSync(fifo.readFd)
  closeSync(fifo.writeFd)
}

/** Creates a pool for stdin: this process writes, and `writeFd` is non-blocking. */
export function createInputFifoPool(): FifoPool {
  return createFifoPool((count) => makeFifosOnDisk(count, openInputFifo))
}

const makeOutputFifos = (count: number) => makeFifosOnDisk(count, openOutputFifo)

async function makeFifosOnDisk(count: number, open: (path: string) => Fifo): Promise<Fifo[]> {
  const directory = makeOwnFolder('fifo')
  const paths = Array.from({ length: count }, (_, index) => join(directory, String(index)))
  try {
    await makeFifos(paths)
    return openAll(paths, open)
  } finally {
    // A recursive removal needs a descriptor, which the process may lack.
    await Promise.allSettled(paths.map((path) => unlink(path)))
    await Promise.allSettled([rmdir(directory)])
  }
}

/** Opens all paths, or as many as there are descriptors for. Throws when not even one can be opened. */
function openAll(paths: readonly string[], open: (path: string) => Fifo): Fifo[] {
  const fifos: Fifo[] = []
  for (const path of paths) {
    try {
      fifos.push(open(path))
    } catch (error) {
      if (fifos.length === 0) throw error
      break
    }
  }
  return fifos
}

/** Opens the read end first, because opening a write end waits for a reader. The write end blocks, as programs expect. */
function openOutputFifo(path: string): Fifo {
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) }
  } catch (error) {
    closeSync(readFd)
    throw error
  }
}

/** Opens a non-blocking write end and a blocking read end; a temporary reader lets both be opened without waiting. */
function openInputFifo(path: string): Fifo {
  const first = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const writeFd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
    try {
      return { writeFd, readFd: openSync(path, constants.O_RDONLY) }
    } catch (error) {
      closeSync(writeFd)
      throw error
    }
  } finally {
    closeSync(first)
  }
}

const run = promisify(execFile)

/** Makes FIFOs for this user alone. Node has no call for it. */
export async function makeFifos(paths: readonly string[]): Promise<void> {
  await run('mkfifo', ['-m', '600', ...paths], { env: { PATH: helperPath } })
}
