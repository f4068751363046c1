import type { StandardFds, TerminalTaking } from './launch.ts'
import type { OutputStream, TerminalSize } from './process.ts'

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
