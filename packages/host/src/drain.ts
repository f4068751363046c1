/** A grandchild that holds the pipe must not hold us longer than this after the leader's exit. */
const drainMs = 250

/** Time to read what an ended process has left in its pipes. It runs only while somebody reads. */
export interface Drain {
  start(): void
  hold(): void
  close(): void
}

export function createDrain(expire: () => void): Drain {
  let leftMs = drainMs
  let startedMs = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const finish = () => {
    if (!closed && timer !== undefined) expire()
  }
  return {
    start() {
      if (closed || timer !== undefined) return
      startedMs = performance.now()
      // The second step lets a loop that was busy for all this time read what is there before the pipe is closed.
      timer = setTimeout(() => setImmediate(finish), leftMs)
    },
    hold() {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      leftMs = Math.max(0, leftMs - (performance.now() - startedMs))
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
