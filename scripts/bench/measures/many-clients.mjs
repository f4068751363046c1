import { startServer } from '../server-client.mjs'
import { attachTo } from '../wire-client.mjs'

const clients = 20
const count = 100_000

/** A flood with one client, and with twenty: how far behind the log the slowest of them reads. */
export const manyClients = {
  name: 'many-clients',
  runs: 5,
  rows: {
    one: { what: 'flood: lag of one client', unit: 'ms', budget: 30, aim: 10 },
    slowest: { what: 'same with 20: the slowest one’s', unit: 'ms', budget: 45, aim: 15 },
    ratio: { what: 'same: how many times that of one', unit: '×', budget: 1.5, aim: 1.2 },
  },
  async measure({ program, model, place }) {
    const one = await slowestLag({ program, model, place }, 1)
    const slowest = await slowestLag({ program, model, place }, clients)
    return { one, slowest, ratio: slowest / one }
  },
}

async function slowestLag({ program, model, place }, number) {
  await using server = startServer(program, place)
  await server.initialize()
  const conversationId = await server.open('conversation/create', { cwd: place.workspace })
  const path = await server.socket()
  const attached = await Promise.all(Array.from({ length: number }, () => attachTo(path)))
  await Promise.all(attached.map((client) => client.request('conversation/stream', { conversationId })))
  await model.play({ play: 'flood', count })
  const lags = attached.map(meanLag)
  await server.turn(conversationId, 'go')
  const slowest = Math.max(...(await Promise.all(lags)))
  for (const client of attached) client[Symbol.dispose]()
  return slowest
}

/** From the event's time to its arrival, over all events of a turn. */
function meanLag(client) {
  let sum = 0
  let events = 0
  return client.until((type, line) => {
    sum += performance.timeOrigin + performance.now() - Number(/"at":(\d+)/.exec(line.toString('latin1', 0, 256))?.[1])
    events += 1
    return type === 'turn.ended' ? sum / events : undefined
  })
}
