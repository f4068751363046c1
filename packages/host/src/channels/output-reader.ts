import { type OnReadOpts, Socket } from 'node:net'

/** What a pipe holds at most. */
const bufferBytes = 64 * 1024

/** Buffers of readers that have closed: a new one for each command would stay, garbage, until the next large collection. */
const spareBuffers: Buffer[] = []
const maxSpareBuffers = 4

export interface OutputReader {
  /** Reads no further, so that the pipe fills and its writer waits. No chunk comes until `resume`. */
  pause(): void
  resume(): void
  /** At once, and leaves unread what is still there. */
  close(): void
}

interface OutputListener {
  /** `chunk` is valid only during the call. */
  onChunk(chunk: Buffer): void
  /** Nobody can write any more and all was read, or the reader was closed. */
  onEnd(): void
}

/**
 * Reads what `open` opens until its last writer is gone. All chunks share one buffer, overwritten by the next: with a
 * new one each, 100 MB of output cost 70 MB of memory.
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
  // A terminal's stream has not begun by itself, and would at its next turn, paused meanwhile or not.
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

/** Owns `fd`. Not an `fs` stream: that would hold a thread of the pool for as long as the command is silent. */
export function readFifo(fd: number, listener: OutputListener): OutputReader {
  return readOutput((onread) => new Socket({ fd, readable: true, writable: false, onread }), listener)
}

/** A grandchild that holds the pipe must not hold us longer than this after the leader's exit. */
const drainMs = 250

/** Time to read what an ended process has left in its pipes. It runs only while somebody reads. */
export interface Drain {
  start(): void
  hold(): void
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
      // The second step lets a loop that was busy for all this time read what is there before the pipe is closed.
      timer = setTimeout(() => setImmediate(finish), leftMs)
    },
    hold() {
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
