import type { Socket } from 'node:net'
import type { StandardFds, TerminalTaking } from '../run/launch.ts'
import type { OutputStream, TerminalSize } from '../run/process.ts'

/** What connects us with one process. */
export interface Channels {
  /** Its side. */
  readonly fds: StandardFds
  /** When its side is a terminal. */
  readonly terminal?: TerminalTaking
  /** Null when its stdin is empty. */
  readonly input: ProcessInput | null
  /** From then on its output is read. */
  open(listener: ChannelListener): void
  /** After the spawn, whatever its outcome: the process has its own by then. */
  closeItsSide(): void
  pause(): void
  resume(): void
  resize(size: TerminalSize): boolean
  /** Leaves unread what is still there. */
  close(): void
}

export interface ChannelListener {
  onOutput(stream: OutputStream, chunk: Buffer): void
  /** All output was read. */
  onEnd(): void
}

export interface ProcessInput {
  readonly isOpen: boolean
  readonly unwrittenBytes: number
  write(bytes: Buffer): Promise<boolean>
  /** False when it cannot be ended. */
  end(): boolean
  close(): void
}

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
