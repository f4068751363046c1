import { nowMs } from '../clock.mjs'
import { openServer } from '../server-client.mjs'
import { median } from '../statistics.mjs'
import { attachTo, lagOf } from '../wire-client.mjs'

const clients = 20
const count = 100_000

/** Measures a flood with one client and with twenty: the lag of the slowest, and the time until all have it. */
export const manyClients = {
  name: 'many-clients',
  runs: 7,
  rows: {
    lag: { what: 'flood: typical lag of one client', unit: 'ms', budget: 30, aim: 10 },
    lags: { what: 'same with 20: the slowest one’s, times that', unit: '×', budget: 1.5, aim: 1.2 },
    turns: { what: 'same: until all have the whole turn, times one’s', unit: '×', budget: 2, aim: 1.3 },
  },
  async measure(context) {
    const one = await flood(context, 1)
    const twenty = await flood(context, clients)
    return { lag: one.lagMs, lags: twenty.lagMs / one.lagMs, turns: twenty.turnMs / one.turnMs }
  },
}

async function flood({ program, model, place }, number) {
  await using server = await openServer(program, place)
  const conversationId = await server.create()
  const path = await server.socket()
  const attached = await Promise.all(Array.from({ length: number }, () => attachTo(path)))
  await Promise.all(attached.map((client) => client.request('conversation/stream', { conversationId })))
  await model.play({ play: 'flood', count })
  const startedMs = nowMs()
  const lags = attached.map(typicalLag)
  await server.turn(conversationId, 'go')
  const lagMs = Math.max(...(await Promise.all(lags)))
  const turnMs = nowMs() - startedMs
  for (const client of attached) client[Symbol.dispose]()
  return { lagMs, turnMs }
}

/** Resolves to the median time from an event to its arrival, over one turn. */
function typicalLag(client) {
  const lags = []
  return client.until((type, line) => {
    lags.push(lagOf(line))
    return type === 'turn.ended' ? median(lags) : undefined
  })
}
