import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasNats, type Relay, smallDisk, startNats, startRelay, tempDirectory } from '@parley/testkit'
import { it } from 'vitest'
import { checkTeam } from './check-team.ts'
import { hangMs, startTalks, strikeWhileTalking } from './strike.ts'
import { startTeam, type Team } from './team.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

interface Trouble {
  readonly what: string
  readonly strike: (team: Team, relays: readonly Relay[]) => Promise<void>
  readonly end: (team: Team, relays: readonly Relay[]) => Promise<void> | void
}

/** A server that is paused; clients that get no answer go to another. */
function paused(index: number, timeMs: number): Trouble {
  return {
    what: `server ${index} paused for ${timeMs} ms`,
    async strike({ members }) {
      const member = members[index]
      member?.leave()
      member?.signal('SIGSTOP')
      await pause(timeMs)
      member?.signal('SIGCONT')
    },
    end: ({ members }) => members[index]?.comeBack(),
  }
}

function pausedStore(index: number, timeMs: number): Trouble {
  return {
    what: `server ${index} of the store paused for ${timeMs} ms`,
    async strike({ store }) {
      store.signal(index, 'SIGSTOP')
      await pause(timeMs)
      store.signal(index, 'SIGCONT')
    },
    end: () => undefined,
  }
}

/** Delay of the store that passes: an effect may wait for as long as answers take 2 s, and goes on after it. */
function slow(delayMs: number, timeMs: number): Trouble {
  return {
    what: `a store whose answers take ${2 * delayMs} ms more`,
    async strike(_, relays) {
      for (const relay of relays) relay.delayMs = delayMs
      await pause(timeMs)
      for (const relay of relays) relay.delayMs = 0
    },
    end: () => undefined,
  }
}

// A lease lasts 3 s.
const troubles: readonly Trouble[] = [
  paused(0, 4000),
  slow(100, 2000),
  paused(1, 2900),
  paused(2, 3100),
  paused(1, 10_000),
  paused(0, 2900),
  pausedStore(0, 3000),
  pausedStore(1, 12_000),
  slow(1000, 10_000),
]

// shared-store.test.ts and woken-servers.test.ts pause servers with a store of one.
it.skipIf(!hasNats || !isLong)(
  `pauses and delays (${troubles.length}) of servers and their store lose nothing, and every conversation goes on`,
  { timeout: (1 + troubles.length) * hangMs },
  async () => {
    const store = await startNats({ servers: 3 })
    const relays = await Promise.all(store.addresses.map((address) => startRelay(Number(address.split(':')[1]))))
    await using closing = new AsyncDisposableStack()
    for (const relay of relays) closing.use(relay)
    await using team = await startTeam({ store, addresses: relays.map(({ address }) => address) })
    const talks = await startTalks(team)
    for (const { strike, end } of troubles) {
      await strikeWhileTalking(talks, [], () => strike(team, relays))
      await end(team, relays)
      await checkTeam(team, talks)
    }
  },
)

it.skipIf(!hasNats || !isLong)(
  'a store whose disk is full on one server loses nothing, and every conversation goes on',
  { timeout: 3 * hangMs },
  async ({ skip }) => {
    await using world = await tempDirectory()
    const folder = join(world.path, 'disk')
    using disk = smallDisk(folder, 64 * 1024 * 1024)
    if (disk === null) skip('no file system can be mounted here')
    const store = await startNats({ servers: 3, places: [{}, { folder }, {}] })
    await using team = await startTeam({ store })
    const talks = await startTalks(team)
    const ballast = join(folder, 'ballast')
    await strikeWhileTalking(talks, [], async () => {
      fill(ballast)
      await pause(5000)
      // A server that has met a full disk serves its streams again once it is restarted.
      rmSync(ballast)
      await store.kill(1)
      await store.start(1)
    })
    await checkTeam(team, talks)
  },
)

/** Writes a file until the disk takes no more. */
function fill(path: string): void {
  for (let pieceBytes = 1024 * 1024; pieceBytes >= 512; )
    try {
      writeFileSync(path, Buffer.alloc(pieceBytes), { flag: 'a' })
    } catch {
      pieceBytes /= 2
    }
}
