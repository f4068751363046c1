import type { JetStreamManager } from '@nats-io/jetstream'
import { askAgain } from './ask-again.ts'

/** Time between two looks at a stream, in ms. */
const lookMs = 2000
/** Time without an answer after which a stream has no leader, in ms: answers of a slow store may take two seconds. */
const silentMs = 3000

/**
 * Asks each of some streams again and again until disposal: only its leader answers. `leaderless` returns the names of
 * the streams without a leader, as far as they were asked.
 */
export function watchLeaders(
  { streams }: Pick<JetStreamManager, 'streams'>,
  names: readonly string[],
): Disposable & { leaderless(): readonly string[] } {
  let isOver = false
  /** Time of the first question that has not led to an answer of a leader, by stream. */
  const openSinceMs = new Map<string, number>()

  async function look(name: string): Promise<void> {
    if (!openSinceMs.has(name)) openSinceMs.set(name, performance.now())
    try {
      const { cluster } = await askAgain(() => streams.info(name))
      if (cluster === undefined || cluster.leader) openSinceMs.delete(name)
    } catch {
      // The server is asked again; its former state is known by the time.
    }
  }

  function follow(name: string): void {
    void look(name).then(() => {
      if (!isOver) setTimeout(() => follow(name), lookMs).unref()
    })
  }

  for (const name of names) follow(name)
  return {
    leaderless: () => names.filter((name) => performance.now() - (openSinceMs.get(name) ?? Infinity) >= silentMs),
    [Symbol.dispose]() {
      isOver = true
    },
  }
}
