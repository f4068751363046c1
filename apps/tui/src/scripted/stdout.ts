import { write } from 'node:fs'

/**
 * The only writer of stdout in a scripted run. Writes go through the thread pool in order, so that a slow reader blocks
 * nothing else.
 */
export interface ResultStream {
  line(text: string): void
  /** Resolves to null when everything was read, or to the error that prevents it. */
  done(): Promise<NodeJS.ErrnoException | null>
  /** Resolves on the first write error: `EPIPE` when the reader has closed the pipe. Later lines are dropped. */
  readonly broken: Promise<NodeJS.ErrnoException>
}

/** Bytes per write. */
const pieceBytes = 64 * 1024
const retryMs = 5

export function openResultStream(descriptor: number): ResultStream {
  let queue: string[] = []
  let draining: Promise<void> | null = null
  let failure: NodeJS.ErrnoException | null = null
  const broken = Promise.withResolvers<NodeJS.ErrnoException>()

  async function drain(): Promise<void> {
    while (queue.length > 0 && failure === null) {
      const bytes = Buffer.from(queue.join(''))
      queue = []
      for (let at = 0; at < bytes.length && failure === null; )
        at += await writePiece(bytes.subarray(at, at + pieceBytes))
    }
    draining = null
  }

  async function writePiece(piece: Buffer): Promise<number> {
    const { error, written } = await attempt(descriptor, piece)
    if (error === null) return written
    if (error.code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, retryMs))
    else {
      failure = error
      broken.resolve(error)
    }
    return 0
  }

  return {
    broken: broken.promise,
    line(text) {
      if (failure !== null) return
      queue.push(`${text}\n`)
      draining ??= Promise.resolve().then(drain)
    },
    async done() {
      while (draining !== null) await draining
      return failure
    },
  }
}

function attempt(descriptor: number, piece: Buffer): Promise<{ error: NodeJS.ErrnoException | null; written: number }> {
  return new Promise((resolve) => write(descriptor, piece, (error, written) => resolve({ error, written })))
}
