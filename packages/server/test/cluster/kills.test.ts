import { setTimeout as pause } from 'node:timers/promises'
import { hasNats } from '@parley/testkit'
import fc from 'fast-check'
import { it } from 'vitest'
import { checkTeam } from './check-team.ts'
import { hangMs, spread, startTalks, strikeWhileTalking } from './strike.ts'
import type { Talk } from './talk.ts'
import { type Member, startTeam, type Team } from './team.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const runs = isLong ? 100 : 2
const seed = Number(process.env['PARLEY_CLUSTER_SEED'] ?? 20261123)

interface Kill {
  /** 0 to 2: a server of ours; 3 to 5: one of the store. */
  readonly victim: number
  readonly afterMs: number
}

const drawn = fc.sample(
  fc.record({ victim: fc.integer({ min: 0, max: 5 }), afterMs: fc.integer({ min: 0, max: 1500 }) }),
  { seed, numRuns: runs },
)
/** The few runs of `npm test` have one of each kind, at least. */
const kills: readonly Kill[] = isLong ? drawn : drawn.map((kill, run) => ({ ...kill, victim: [0, 4][run] ?? 0 }))

it.skipIf(!hasNats)(
  `${runs} kills of servers and of those of their store lose nothing, and every conversation goes on elsewhere`,
  { timeout: runs * hangMs },
  async () => {
    await using team = await startTeam()
    const talks = await startTalks(team)
    const figures: Record<'server' | 'store', number[]> = { server: [], store: [] }
    for (const { victim, afterMs } of kills) {
      if (victim < 3) {
        const member = busyMember(team, talks, victim)
        const struck = talks.filter(({ at }) => at === member)
        const kill = (begins: () => void) => pause(afterMs).then(begins).then(member.kill)
        figures.server.push(...(await strikeWhileTalking(talks, struck, kill)))
        await member.start()
      } else {
        const index = victim - 3
        const kill = (begins: () => void) =>
          pause(afterMs)
            .then(begins)
            .then(() => team.store.kill(index))
        figures.store.push(Math.max(...(await strikeWhileTalking(talks, talks, kill))))
        await team.store.start(index)
      }
      await checkTeam(team, talks)
    }
    if (isLong) for (const [kind, gaps] of Object.entries(figures)) process.stderr.write(`${kind}: ${spread(gaps)}\n`)
  },
)

/** Returns a member that has conversations: those that were killed got none back. */
function busyMember({ members }: Team, talks: readonly Talk[], from: number): Member {
  const inTurn = [...members.slice(from), ...members]
  const busy = inTurn.find((member) => talks.some(({ at }) => at === member))
  if (busy === undefined) throw new Error('nobody has a conversation')
  return busy
}
