import type { Socket } from 'node:net'

/** Descriptors 0, 1 and 2 of a child; null is /dev/null, `pipe` is a pipe that Node makes. */
export type StandardFds = readonly [number | null | 'pipe', number | 'pipe', number | 'pipe']

export type OutputStream = 'stdout' | 'stderr' | 'pty'

export interface TerminalSize {
  readonly rows: number
  readonly cols: number
}

/** Steps that make the terminal on a child's descriptors the controlling terminal of its session. */
export interface ControllingTerminal {
  /** Programs that take the terminal and then become the command. They run outside of the sandbox. */
  readonly prefix: readonly string[]
  /** False when the prefix makes the session. */
  readonly ownSession: boolean
}

/** Connection between this process and one child: it carries the child's input and output. */
export interface Channels {
  readonly fds: StandardFds
  /** Present when the descriptors are a terminal. */
  readonly terminal?: ControllingTerminal
  /** Writer to the child's stdin; null when its stdin is empty or belongs to the caller. */
  readonly input: ChannelInput | null
  /** Starts reading the output. */
  open(listener: ChannelListener): void
  /** Closes the child's descriptors in this process. Called after the spawn, whatever its outcome. */
  closeChildSide(): void
  /** Stops reading, so that the pipes fill and the child waits. */
  pause(): void
  resume(): void
  /** Returns false when there is no terminal. */
  resize(size: TerminalSize): boolean
  /** Closes this side and leaves the rest unread. */
  close(): void
}

export interface ChannelListener {
  /** Called with each chunk, which is valid only during the call. */
  onOutput(stream: OutputStream, chunk: Buffer): void
  /** Called once when all writers are gone and all output was read. */
  onEnd(): void
}

export interface ChannelInput {
  readonly isOpen: boolean
  readonly unwrittenBytes: number
  /** Resolves with false when the child does not take the bytes. */
  write(bytes: Buffer): Promise<boolean>
  /** Returns false when it cannot be ended. */
  end(): boolean
  close(): void
}

/** Way into a running child: a piped stdin, or its terminal. */
export interface ProcessInput extends Pick<Channels, 'resize'>, Pick<ChannelInput, 'unwrittenBytes'> {
  /** True with a terminal or a piped stdin that is still open. */
  readonly isOpen: boolean
  readonly isTerminal: boolean
  /**
   * Resolves when the system has taken the bytes; false when the child does not read any more. `hidden` bytes are a
   * secret; an exec-server that keeps the child for another server keeps that fact, too.
   */
  write(bytes: Buffer, how?: { readonly hidden?: true }): Promise<boolean>
  /** Closes a piped stdin after all writes. Returns false without one. */
  end(): boolean
}

/** Returns the input of a child, whose channels may open later. */
export function inputBy(channels: () => Channels | null): ProcessInput {
  return {
    get isOpen() {
      return channels()?.input?.isOpen ?? false
    },
    get isTerminal() {
      return channels()?.terminal !== undefined
    },
    get unwrittenBytes() {
      return channels()?.input?.unwrittenBytes ?? 0
    },
    write: (bytes) => channels()?.input?.write(bytes) ?? Promise.resolve(false),
    end: () => channels()?.input?.end() ?? false,
    resize: (size) => channels()?.resize(size) ?? false,
  }
}

/** Wraps the socket to a child's stdin. A reader that has gone is no error here: the child's exit tells why. */
export function createChannelInput(socket: Socket, canEnd: boolean): ChannelInput {
  let unwrittenBytes = 0
  socket.on('error', () => {}) // EPIPE and EIO are reported by each write
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
