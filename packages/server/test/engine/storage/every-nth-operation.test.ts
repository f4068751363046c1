import { existsSync } from 'node:fs'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { talkUntilTrouble } from '@parley/engine/test/support/talk-until-trouble.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { faultyFiles } from '@parley/journal/testing'
import { expect, it } from 'vitest'
import { fullAccess, testPlace } from '../support/test-server.ts'

const command = { name: 'shell', args: { command: 'seq 1 3000; touch made' } }

/** Each of them in long runs; else every seventeenth one. */
const stride = process.env['PARLEY_LONG_TESTS'] === '1' ? 1 : 17

it('a failure of any disk operation leaves shown events in the log, runs nothing twice, and allows a resume', {
  timeout: 120_000,
}, async () => {
  for (let failing = 1; ; failing += stride) {
    await using place = testPlace()
    const { files, count } = faultyFiles((_, nth) => (nth === failing ? 'EIO' : null))
    const { host, started } = countingHost()
    const model = scriptedModel({ text: 'Running.', calls: [command] }, { text: 'A' }, { text: 'B' })
    const server = place.start({ files, host, model, clock: testClock(), ceiling: fullAccess })
    const watched = await talkUntilTrouble(await server.connect(), place.cwd)
    const operations = count()
    await server.close().catch(() => undefined)
    expect(started.length).toBeLessThanOrEqual(1)

    if (watched !== null && existsSync(place.path(watched.conversationId))) {
      const stored = new Map(
        place.logLines(watched.conversationId).map((line) => [JSON.parse(line).seq, JSON.parse(line).crc]),
      )
      for (const { seq, crc } of watched.events)
        expect({ failing, seq, crc: stored.get(seq) }).toEqual({ failing, seq, crc })
      if (watched.cursor.seq > 0) {
        const again = countingHost()
        const client = await place
          .start({ host: again.host, model: scriptedModel({ text: 'C' }), ceiling: fullAccess })
          .connect()
        const { conversationId } = watched
        await client.request('conversation/resume', { conversationId })
        const resumed = await client.watch(conversationId)
        await resumed.send('go on')
        await resumed.turnEnded()
        expect({ failing, outcome: resumed.state.core.lastTurn?.outcome }).toEqual({ failing, outcome: 'completed' })
        expect([again.started, resumed.state.core.open]).toEqual([[], {}])
      }
    }
    if (operations < failing) return
  }
})
