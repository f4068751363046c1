import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Call that fails in a program of parley. */
export type NthCall = {
  readonly kind: 'files' | 'network' | 'processes'
  readonly errno: string
  /** Counted from 1, in each process of the program. */
  readonly nth: number
  readonly program: 'parley.mjs' | 'server.mjs'
  /** Name of a file, to count the calls on that alone. */
  readonly file?: string
}

const preload = pathToFileURL(new URL('nth-call.mjs', import.meta.url).pathname).href

/** Returns the environment variables that make the call fail. The program counts its calls in the new file `callsFile`. */
export function environmentWithFailure({ kind, errno, nth, program, file = '' }: NthCall, callsFile: string) {
  return {
    NODE_OPTIONS: `--import=${preload}`,
    PARLEY_TEST_NTH: [kind, errno, nth, program, file].join('/'),
    PARLEY_TEST_CALLS: callsFile,
  }
}

/** Returns which call failed; null when there were fewer. */
export function failedCall(callsFile: string): string | null {
  return /^failed (.*)$/m.exec(readFileSync(callsFile, 'utf8'))?.[1] ?? null
}
