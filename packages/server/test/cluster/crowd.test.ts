import { hasNats } from '@parley/testkit'
import { expect, it } from 'vitest'
import { checkTeam } from './check-team.ts'
import { hangMs } from './strike.ts'
import { startTalk, type Talk } from './talk.ts'
import { startTeam } from './team.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const count = isLong ? 1000 : 5

it.skipIf(!hasNats)(
  `${count} conversations that wait for an answer wait elsewhere, with the same questions, when their server dies`,
  { timeout: (isLong ? 10 : 1) * hangMs },
  async () => {
    await using team = await startTeam()
    const [home] = team.members
    if (home === undefined) throw new Error('there is no server')
    const talks: Talk[] = []
    const asked: string[] = []
    for (let first = 0; first < count; first += 50) {
      const more = await Promise.all(Array.from({ length: Math.min(50, count - first) }, () => startTalk(team, home)))
      asked.push(...(await Promise.all(more.map((talk) => talk.question()))))
      talks.push(...more)
    }
    const killedMs = performance.now()
    await home.kill()
    const again = await Promise.all(talks.map((talk) => talk.question()))
    if (isLong)
      process.stderr.write(`${count} conversations elsewhere in ${Math.round(performance.now() - killedMs)} ms\n`)
    expect(again).toEqual(asked)
    await Promise.all(talks.map((talk) => talk.turnsUntil(AbortSignal.abort())))
    await checkTeam(team, talks)
  },
)
