import { closeSync, constants, openSync } from 'node:fs'

/** Linux: a descriptor that neither reads nor writes, so it hides nobody's absence. */
const onlyPath = 0o10000000
const firstMs = 20
const maxMs = 1000

/** For a named pipe that all writers have closed while programs may still open it by its name. */
export interface LateOpeners {
  /** From now on there is no writer. */
  serve(): void
  close(): void
}

/**
 * Who opens a named pipe without writers waits for one, where of a nameless pipe it would read the rest and the end:
 * `sleep 1; cat /dev/stdin` would wait for ever. A writer that comes and goes lets those through. Elsewhere than on
 * Linux they wait.
 */
export function createLateOpeners(readFd: number): LateOpeners {
  if (process.platform !== 'linux') return { serve: () => undefined, close: () => undefined }
  const pipe = openSync(`/proc/self/fd/${readFd}`, onlyPath)
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const serveAfter = (delayMs: number) => {
    const serve = () => {
      if (comeAndGo(pipe)) serveAfter(Math.min(2 * delayMs, maxMs))
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

/** False when nobody reads it any more. */
function comeAndGo(pipe: number): boolean {
  try {
    closeSync(openSync(`/proc/self/fd/${pipe}`, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}
