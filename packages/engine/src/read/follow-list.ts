/** Calls a listener when the list of conversations may be another. Returns the function that removes it. */
export type FollowList = (listener: () => void) => () => void

/** Least time between two calls of a listener, in ms: a turn that runs writes many times a second. */
const pauseMs = 2_000

/** Shares one watch, which runs while there are listeners. */
export function createListFollowing(watch: FollowList): FollowList {
  const listeners = new Set<() => void>()
  let end: (() => void) | null = null
  let pause: NodeJS.Timeout | null = null
  let isDue = false

  function notify(): void {
    isDue = pause !== null
    if (isDue) return
    pause = setTimeout(() => {
      pause = null
      if (isDue) notify()
    }, pauseMs).unref()
    for (const listener of listeners) listener()
  }

  return (listener) => {
    listeners.add(listener)
    end ??= watch(notify)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      end?.()
      end = null
    }
  }
}
