import type { Socket } from 'node:net'
import type { ProcessInput } from './channels.ts'

/** Writes to what a process reads. A reader that has gone is no error: nobody takes the bytes, and its exit tells why. */
export function writeInput(socket: Socket, canEnd: boolean): ProcessInput {
  let unwrittenBytes = 0
  socket.on('error', () => {}) // EPIPE and EIO, told by each write
  return {
    get isOpen() {
      return socket.writable
    },
    get unwrittenBytes() {
      return unwrittenBytes
    },
    write(bytes) {
      if (!socket.writable) return Promise.resolve(false)
      unwrittenBytes += bytes.length
      return new Promise((resolve) => {
        socket.write(bytes, (error) => {
          unwrittenBytes -= bytes.length
          resolve(!error)
        })
      })
    },
    end() {
      if (canEnd) socket.end()
      return canEnd
    },
    close: () => void socket.destroy(),
  }
}
