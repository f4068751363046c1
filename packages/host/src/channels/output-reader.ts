import { type OnReadOpts, Socket } from 'node:net'

/** Capacity of a pipe. */
const bufferBytes = 64 * 1024

/** Buffers of closed readers, kept for reuse: a new one for each command would stay in memory until the next large collection. */
const spareBuffers: Buffer[] = []
const maxSpareBuffers = 4

export interface OutputReader {
  /** Stops reading, so that the pipe fills and its writer waits. No chunk comes until `resume`. */
  pause(): void
  resume(): void
  /** Closes at once and leaves the rest unread. */
  close(): void
}

interface OutputListener {
  /** Called with each chunk, which is valid only during the call. */
  onChunk(chunk: Buffer): void
  /** Called once when all writers are gone and all was read, or when the reader was closed. */
  onEnd(): void
}

/**
 * Reads a stream until its last writer is gone. All chunks share one buffer: with a new one each, 100 MB of output cost
 * 70 MB of memory.
 */
export function readOutput(open: (onread: OnReadOpts) => Socket, { onChunk, onEnd }: OutputListener): OutputReader {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
  let isOpen = true
  const callback = (sizeBytes: number) => {
    if (isOpen) onChunk(buffer.subarray(0, sizeBytes))
    return isOpen
  }
  const socket = open({ buffer, callback })
  socket.on('error', () => {}) // 'close' follows
  socket.once('close', () => {
    if (spareBuffers.length < maxSpareBuffers) spareBuffers.push(buffer)
    onEnd()
  })
  // A terminal's stream begins to read only in a later turn of the loop, and would do so although paused meanwhile.
  socket.read(0)
  socket.resume()
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close() {
      isOpen = false
      socket.destroy()
    },
  }
}

/** Reads a FIFO and owns `fd`. Not an `fs` stream: that holds a thread of the pool while the command is silent. */
export function readFifo(fd: number, listener: OutputListener): OutputReader {
  return readOutput((onread) => new Socket({ fd, readable: true, writable: false, onread }), listener)
}

/** Time for a grandchild that still holds the pipe after the leader's exit. */
const drainMs = 250

/** Timer for reading what an ended process has left in its pipes. It runs only while the output is read. */
export interface Drain {
  start(): void
  pause(): void
  close(): void
}

export function createDrain(expire: () => void): Drain {
  let leftMs = drainMs
  let startedMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const finish = () => {
    if (!closed && timer !== undefined) expire()
  }
  return {
    start() {
      if (closed || timer !== undefined) return
      startedMs = performance.now()
      // After a busy time, the immediate lets the loop read the waiting output before the pipe is closed.
      timer = setTimeout(() => setImmediate(finish), leftMs)
    },
    pause() {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      leftMs = Math.max(0, leftMs - (performance.now() - startedMs))
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
