import { write } from 'node:fs'

/**
 * Only writer of stdout or stderr in a scripted run. Writes go through the thread pool in order, so that a slow reader
 * blocks nothing else.
 */
export interface ResultStream {
  write(text: string): void
  /** Writes the text and a line feed. */
  line(text: string): void
  /** True while more than 256 Ki characters wait for the reader. */
  readonly isBehind: boolean
  /** Resolves when the stream is not behind, or can no longer be written to. */
  drained(): Promise<void>
  /** Resolves to null when everything was read, or to the error that prevents it. */
  done(): Promise<NodeJS.ErrnoException | null>
  /** Resolves on the first write error: `EPIPE` when the reader has closed the pipe. Later lines are dropped. */
  readonly broken: Promise<NodeJS.ErrnoException>
}

/** Bytes per write. */
const pieceBytes = 64 * 1024
const retryMs = 5
/** Characters that wait for the reader, above which a stream is behind. */
const behindLength = 256 * 1024

export function openResultStream(descriptor: number): ResultStream {
  let queue: string[] = []
  /** Characters in the queue and in the current write. */
  let unread = 0
  let draining: Promise<void> | null = null
  let moved = Promise.withResolvers<void>()
  let failure: NodeJS.ErrnoException | null = null
  const broken = Promise.withResolvers<NodeJS.ErrnoException>()

  async function drain(): Promise<void> {
    while (queue.length > 0 && failure === null) {
      const text = queue.join('')
      queue = []
      await writeAll(Buffer.from(text))
      unread -= text.length
      wake()
    }
    draining = null
  }

  async function writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && failure === null; )
      at += await writePiece(bytes.subarray(at, at + pieceBytes))
  }

  async function writePiece(piece: Buffer): Promise<number> {
    const { error, written } = await tryWrite(descriptor, piece)
    if (error === null) return written
    if (error.code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, retryMs))
    else {
      failure = error
      queue = []
      broken.resolve(error)
    }
    return 0
  }

  function wake(): void {
    moved.resolve()
    moved = Promise.withResolvers()
  }

  function add(text: string): void {
    if (failure !== null || text === '') return
    queue.push(text)
    unread += text.length
    draining ??= Promise.resolve().then(drain)
  }

  const isBehind = () => failure === null && unread > behindLength
  return {
    broken: broken.promise,
    write: add,
    line: (text) => add(`${text}\n`),
    get isBehind() {
      return isBehind()
    },
    async drained() {
      while (isBehind()) await moved.promise
    },
    async done() {
      while (draining !== null) await draining
      return failure
    },
  }
}

function tryWrite(
  descriptor: number,
  piece: Buffer,
): Promise<{ error: NodeJS.ErrnoException | null; written: number }> {
  return new Promise((resolve) => write(descriptor, piece, (error, written) => resolve({ error, written })))
}
