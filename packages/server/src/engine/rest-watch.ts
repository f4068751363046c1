const beatMs = 250

/**
 * Looks again and again while `look` says that there is something to wait for. What runs in a conversation ends in many
 * ways (a turn, a command of the user, a background process), and nobody is in a hurry: nobody follows it.
 */
export function createRestWatch(look: () => boolean): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const beat = () => {
    if (!look()) stop()
  }
  return {
    start() {
      timer ??= setInterval(beat, beatMs).unref()
    },
    stop,
  }
}
