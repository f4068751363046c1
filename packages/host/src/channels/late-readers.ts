import { closeSync, constants, openSync } from 'node:fs'

/** O_PATH of Linux: a descriptor that neither reads nor writes, so it does not count as a reader or writer. */
const onlyPath = 0o10000000
const firstMs = 20
const maxMs = 1000

/** Gives the end of file to programs that open a FIFO by its name after its last writer has closed it. */
export interface LateReaderService {
  /** Begins to serve late readers. Called when there is no writer left. */
  serve(): void
  close(): void
}

/** Opens and closes the write end from time to time. Outside Linux, programs that open a FIFO without writers wait. */
export function createLateReaders(readFd: number): LateReaderService {
  if (process.platform !== 'linux') return { serve: () => undefined, close: () => undefined }
  // A nameless pipe would give the rest and the end: on a FIFO, `sleep 1; cat /dev/stdin` would wait for ever.
  const pipe = openSync(`/proc/self/fd/${readFd}`, onlyPath)
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const serveAfter = (delayMs: number) => {
    const serve = () => {
      if (openAndClose(pipe)) serveAfter(Math.min(2 * delayMs, maxMs))
    }
    timer = setTimeout(serve, delayMs).unref()
  }
  return {
    serve() {
      if (isOpen && timer === undefined) serveAfter(firstMs)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      closeSync(pipe)
    },
  }
}

/** Opens the write end for a moment. Returns false when no reader is left. */
function openAndClose(pipe: number): boolean {
  try {
    closeSync(openSync(`/proc/self/fd/${pipe}`, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}
