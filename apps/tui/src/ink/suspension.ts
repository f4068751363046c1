/** What is done with the terminal around a stop. Both do nothing twice. */
export interface TerminalHands {
  readonly release: () => void
  readonly take: () => void
}

/** Long enough for the stop to come first. */
const stopWithinMs = 50

/** Ctrl+Z: gives the terminal back and stops the whole job; takes it again when the shell continues it. */
export function createSuspension({ release, take }: TerminalHands): Disposable & { suspend(): void } {
  let timer: NodeJS.Timeout | undefined
  // Stopped from outside: meanwhile the shell has had the terminal.
  const onContinue = () => {
    release()
    take()
  }
  process.on('SIGCONT', onContinue)
  return {
    suspend() {
      release()
      process.kill(0, 'SIGTSTP')
      // The system ignores the stop where no shell could continue the job: then this is the way back.
      timer = setTimeout(take, stopWithinMs)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      process.off('SIGCONT', onContinue)
    },
  }
}
