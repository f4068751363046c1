import { setTimeout as pause } from 'node:timers/promises'
import { UnusableStoreError } from './connect-store.ts'
import { isElecting } from './store-trouble.ts'

/** Time that the servers of a store need to elect, in ms: up to ten seconds, and some for a slow machine. */
const electionMs = 20_000
const retryMs = 500
/** Time after which it is said that a store is waited for, in ms. */
const quietMs = 1000
/** Time that a store needs to answer again, in ms: a question gets it however long the store has been away. */
const leastMs = 2000
const lookMs = 250

/** Returns the time since a store answered last, in ms; null while it does. */
export type AwayMs = () => number | null

/**
 * Runs something again that fails while the servers of a store elect, until it succeeds or they should have: by now, or
 * since the store answered last.
 */
export async function whileElecting<Result>(run: () => Promise<Result>, awayMs: AwayMs = () => null): Promise<Result> {
  const endMs = performance.now() + electionMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isElecting(error) || performance.now() > endMs || isGone(awayMs)) throw error
      await pause(retryMs)
    }
  }
}

/** Runs something that changes nothing as `whileElecting` does, and gives it up in the same time where it hangs. */
export async function unlessGone<Answer>(ask: () => Promise<Answer>, awayMs: AwayMs): Promise<Answer> {
  const gone = Promise.withResolvers<never>()
  const startMs = performance.now()
  const timer = setInterval(() => {
    if (performance.now() - startMs >= leastMs && isGone(awayMs)) gone.reject(silence(awayMs() ?? 0))
  }, lookMs)
  try {
    return await Promise.race([whileElecting(ask, awayMs), gone.promise])
  } finally {
    clearInterval(timer)
  }
}

function isGone(awayMs: AwayMs): boolean {
  return (awayMs() ?? 0) >= electionMs
}

function silence(forMs: number): Error {
  return Object.assign(new Error(`the store has not answered for ${forMs} ms`), { name: 'TimeoutError' })
}

/** Wait for a store that cannot be opened yet. */
export interface OpeningWait {
  /**
   * Called with one sentence why it is waited for, after a second, and with each other one once its servers should have
   * elected: while they start, what fails changes from try to try.
   */
  readonly onAway: (problem: string) => void
  /** True to wait for as long as it may pass; else for as long as its servers take to elect. */
  readonly isPatient: boolean
}

/** Runs the opening of a store again for as long as it fails for a passing reason. `unfinished` says why it waits. */
export async function whileOpening<Result>(
  open: () => Promise<Result>,
  { onAway, isPatient }: OpeningWait,
  unfinished: () => string,
): Promise<Result> {
  const startMs = performance.now()
  const waitedMs = () => performance.now() - startMs
  const mayPass = (error: UnusableStoreError) =>
    isPatient ? error.passes : isElecting(error) && waitedMs() < electionMs
  let problem: string | null = null
  let told = ''
  const tell = () => {
    told = problem ?? unfinished()
    onAway(told)
  }
  const timer = setTimeout(tell, quietMs)
  try {
    for (;;) {
      try {
        return await open()
      } catch (error) {
        if (!(error instanceof UnusableStoreError) || !mayPass(error)) throw error
        problem = error.message
        if (waitedMs() >= electionMs && told !== problem) tell()
        await pause(retryMs)
      }
    }
  } finally {
    clearTimeout(timer)
  }
}
