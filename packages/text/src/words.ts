/** Signals that end programs, by their number on Linux and macOS alike. */
const signals: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
}

/** Returns `exit N`, with the signal where shells and sandboxes report a death by one: 128 plus its number. */
export function exitWords(exitCode: number | null): string {
  const signal = signals[(exitCode ?? 0) - 128]
  return `exit ${exitCode}${signal === undefined ? '' : ` (${signal})`}`
}

/** Returns a time in seconds with one decimal: `1.5 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** Returns a text as a sentence: adds a full stop unless it ends with one, so that another sentence can follow. */
export function asSentence(text: string): string {
  const said = text.trimEnd()
  return said === '' || /[.!?…]$/.test(said) ? said : `${said}.`
}

/** Returns the message of a thrown error, or the text of any other thrown value. */
export function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Returns a number with its noun: `1 line`, `2000 lines`. For models and files; people get thousands parted (`countOf`). */
export function countedNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
