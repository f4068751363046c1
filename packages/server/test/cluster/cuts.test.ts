import { setTimeout as pause } from 'node:timers/promises'
import { hasNats, startNats, startRelay } from '@parley/testkit'
import { it } from 'vitest'
import { networkComplaint } from '../environments/support/network-namespace.ts'
import { checkTeam } from './check-team.ts'
import { startNumberedModel } from './numbered-model.ts'
import { hangMs, spread, startTalks, strikeWhileTalking } from './strike.ts'
import { startTeam } from './team.ts'
import { createTeamNetwork } from './team-network.ts'

/** Machines 0 to 2 have a server of ours each, 3 to 5 one of the store. */
interface Cut {
  readonly what: string
  readonly ones: readonly number[]
  readonly others: readonly number[]
  /** Servers that reach no majority of the store then, which their clients leave. */
  readonly alone?: readonly number[]
  /** True where no part of the store is a majority, so that nothing goes on before the network is whole again. */
  readonly stopsAll?: boolean
}

const store = [3, 4, 5]
const pairs = [
  ...[0, 1, 2].flatMap((one) => store.map((other): [number, number] => [one, other])),
  ...([
    [3, 4],
    [3, 5],
    [4, 5],
  ] as const),
]
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const cuts: readonly Cut[] = [
  { what: 'a server and its whole store', ones: [0], others: store, alone: [0] },
  ...(isLong
    ? [
        { what: 'a server of the store and the two others', ones: [3], others: [4, 5] },
        { what: 'a server with one of the store and the rest', ones: [1, 4], others: [2, 3, 5, 0], alone: [1] },
        { what: 'two servers and their store', ones: [0, 2], others: store, alone: [0, 2] },
        { what: 'all of the store', ones: [3, 4], others: [4, 5], stopsAll: true },
        ...pairs.map(([one, other]) => ({ what: `machines ${one} and ${other}`, ones: [one], others: [other] })),
      ]
    : []),
]
/** Longer than a lease. */
const cutMs = 5000

it.skipIf(!hasNats)(
  `${cuts.length} cuts between servers and those of their store lose nothing, and every conversation goes on`,
  { timeout: (1 + cuts.length) * hangMs },
  async ({ skip }) => {
    const complaint = networkComplaint()
    if (complaint !== null) skip(complaint)
    using network = createTeamNetwork(6)
    const model = await startNumberedModel()
    await using relay = await startRelay(Number(new URL(model.url).port), network.here)
    const servers = await startNats({ servers: 3, places: network.machines.slice(3) })
    const launcherOf = (member: number) => network.machines[member]?.launcher ?? []
    await using team = await startTeam({ store: servers, model, modelUrl: `http://${relay.address}/v1`, launcherOf })
    const talks = await startTalks(team)
    for (const { what, ones, others, alone = [], stopsAll = false } of cuts) {
      const left = alone.flatMap((member) => team.members[member] ?? [])
      const gaps = await strikeWhileTalking(talks, talks, async (begins) => {
        await pause(200)
        begins()
        network.cut(ones, others)
        for (const member of left) member.leave()
        await pause(cutMs)
        if (stopsAll) network.heal()
      })
      network.heal()
      for (const member of left) await member.comeBack()
      await checkTeam(team, talks)
      if (isLong) process.stderr.write(`${what} cut: ${spread(gaps)}\n`)
    }
  },
)
