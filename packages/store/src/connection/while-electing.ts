import { setTimeout as pause } from 'node:timers/promises'
import { UnusableStoreError } from './connect-store.ts'
import { isElecting } from './store-trouble.ts'

/** Time in which the servers of a store have elected, in ms: up to ten seconds, and some for a slow machine. */
const electionMs = 20_000
const retryMs = 500

/** Runs something again that fails while the servers of a store elect, until it succeeds or they should have. */
export async function whileElecting<Result>(run: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + electionMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isElecting(error) || performance.now() > endMs) throw error
      await pause(retryMs)
    }
  }
}

/** Runs something again for as long as a store cannot be opened for a reason that passes. `tell` is called with each new one. */
export async function whileAway<Result>(run: () => Promise<Result>, tell: (problem: string) => void): Promise<Result> {
  for (let told = ''; ; ) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof UnusableStoreError && error.passes)) throw error
      if (error.message !== told) tell(error.message)
      told = error.message
      await pause(retryMs)
    }
  }
}
