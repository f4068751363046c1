/**
 * Asks the terminal for its size now; where it has changed, the stream says `resize` before this returns. The signal
 * that tells of it may take some milliseconds, and what is written meanwhile would be broken. Node has this as its
 * answer to that signal, under a name of its own; without it the signal has to do.
 */
export function measure(stdout: NodeJS.WriteStream): void {
  const refresh: unknown = Reflect.get(stdout, '_refreshSize')
  if (typeof refresh === 'function') refresh.call(stdout)
}
