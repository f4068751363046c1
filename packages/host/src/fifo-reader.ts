import { Socket } from 'node:net'

/** What a pipe holds at most. */
const bufferBytes = 64 * 1024

/** Buffers of readers that have closed: a new one for each command would stay, garbage, until the next large collection. */
const spareBuffers: Buffer[] = []
const maxSpareBuffers = 4

/**
 * Reads a FIFO until its last writer is gone (`onEnd`) or the returned function is called, which closes it at once. Owns `fd`.
 * All chunks share one buffer, overwritten by the next: with a new one each, 100 MB of output cost 70 MB of memory.
 */
export function readFifo(fd: number, onChunk: (chunk: Buffer) => void, onEnd: () => void): () => void {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
  let open = true
  // Not an `fs` stream: that would hold a thread of the pool for as long as the command is silent.
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(sizeBytes) {
        if (open) onChunk(buffer.subarray(0, sizeBytes))
        return open
      },
    },
  })
  socket.on('error', () => {}) // 'close' follows
  socket.once('close', () => {
    if (spareBuffers.length < maxSpareBuffers) spareBuffers.push(buffer)
    onEnd()
  })
  socket.resume()
  return () => {
    open = false
    socket.destroy()
  }
}
