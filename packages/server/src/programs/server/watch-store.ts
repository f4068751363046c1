import type { SharedStore } from '@parley/engine/shared-store'
import type { ServerArguments } from '../arguments.ts'
import { type Reports, storeReports } from './wait-for-store.ts'

type Watched = Pick<SharedStore, 'name' | 'awayMs'>

/** Time between looks at the store, in ms. */
const lookMs = 1000
/** Time from one report of a store that is away to the next, in ms: one that comes and goes fills no log. */
const quietMs = 60_000

/** Returns what looks at a store and reports that it is away, and each time that it is back from that. */
export function lookAtStore(
  store: Watched,
  { away, back }: Readonly<Record<'away' | 'back', (name: string) => void>>,
  nowMs: () => number,
): () => void {
  let isAway = false
  let nextMs = Number.NEGATIVE_INFINITY
  return () => {
    const { name, awayMs } = store
    if (awayMs === null && isAway) back(name)
    else if (awayMs !== null && !isAway && nowMs() >= nextMs) {
      nextMs = nowMs() + quietMs
      away(name)
    } else return
    isAway = !isAway
  }
}

/** Reports on the store of a server that people watch on stderr, until disposal. */
export function watchStore(store: Watched, { role, isDaemon }: ServerArguments, reports: Reports): Disposable | null {
  if (role !== 'service' || isDaemon) return null
  const { away, back } = storeReports(reports)
  const look = lookAtStore(
    store,
    {
      away: (name) => away(`The store ${name} does not answer. What clients have begun goes on once it does.`),
      back: (name) => back(`The store ${name} answers again.`),
    },
    () => performance.now(),
  )
  const timer = setInterval(look, lookMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Says why the end takes some seconds where the store does not answer. */
export function sayStoreAway(store: Watched | null): void {
  if (store === null || store.awayMs === null) return
  const text = `The store ${store.name} does not answer. What it lacks is tried for some seconds more; nobody was shown it.`
  process.stderr.write(`parley server: ${text}\n`)
}
