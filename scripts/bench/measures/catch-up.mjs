import { nowMs } from '../clock.mjs'
import { placeLongLog } from '../long-log.mjs'
import { watchMemory } from '../peak-memory.mjs'
import { residentMiB } from '../process-tree.mjs'
import { openServer } from '../server-client.mjs'
import { attachTo } from '../wire-client.mjs'

const count = 500_000

/** Measures a client that was away for half a million events. */
export const catchUp = {
  name: 'catch-up',
  runs: 3,
  rows: {
    rate: { what: 'catch-up of 500,000 events, attached', unit: '/s', more: true, budget: 50_000, aim: 150_000 },
    growth: { what: 'same: how much the server grew by it', unit: 'MiB', budget: 160, aim: 64 },
  },
  prepare: ({ place }) => placeLongLog(place, count),
  async measure({ program, place, prepared: conversationId }) {
    await using server = await openServer(program, place)
    await server.request('conversation/resume', { conversationId })
    using client = await attachTo(await server.socket())
    const before = residentMiB([server.pid])
    const memory = watchMemory(() => [server.pid])
    let received = 0
    const all = client.until(() => {
      received += 1
      return received >= count ? nowMs() : undefined
    })
    const startedMs = nowMs()
    await client.request('conversation/stream', { conversationId, after: { seq: 0, crc: null } })
    return { rate: (count * 1000) / ((await all) - startedMs), growth: memory.stop() - before }
  },
}
