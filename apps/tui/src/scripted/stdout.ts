import { write } from 'node:fs'

/**
 * stdout's one owner in a scripted run. Writes go through the thread pool in order, so a reader that is slow stops
 * nothing else; `done` resolves when the reader has taken everything.
 */
export interface ResultStream {
  line(text: string): void
  done(): Promise<void>
  /** Settles when the reader has left; what is written afterwards goes nowhere. */
  readonly readerLeft: Promise<void>
}

/** Bytes handed to the system at once. */
const pieceBytes = 64 * 1024
const retryMs = 5

export function openResultStream(descriptor: number): ResultStream {
  let queue: string[] = []
  let draining: Promise<void> | null = null
  let gone = false
  let leave: () => void = () => undefined
  const readerLeft = new Promise<void>((resolve) => {
    leave = resolve
  })

  async function drain(): Promise<void> {
    while (queue.length > 0 && !gone) {
      const bytes = Buffer.from(queue.join(''))
      queue = []
      for (let at = 0; at < bytes.length && !gone; ) at += await writePiece(bytes.subarray(at, at + pieceBytes))
    }
    draining = null
  }

  async function writePiece(piece: Buffer): Promise<number> {
    const { error, written } = await attempt(descriptor, piece)
    if (error === null) return written
    if (error.code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, retryMs))
    else {
      gone = true
      leave()
    }
    return 0
  }

  return {
    readerLeft,
    line(text) {
      if (gone) return
      queue.push(`${text}\n`)
      draining ??= Promise.resolve().then(drain)
    },
    async done() {
      while (draining !== null) await draining
    },
  }
}

function attempt(descriptor: number, piece: Buffer): Promise<{ error: NodeJS.ErrnoException | null; written: number }> {
  return new Promise((resolve) => write(descriptor, piece, (error, written) => resolve({ error, written })))
}
