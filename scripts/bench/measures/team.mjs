import { nowMs } from '../clock.mjs'
import { hasNats, startNats } from '../nats.mjs'
import { cpuMs } from '../process-tree.mjs'
import { openServer, startServer } from '../server-client.mjs'
import { quantile } from '../statistics.mjs'
import { lagOf } from '../wire-client.mjs'

const calls = 200
const deltas = 100_000

/** Measures how long an event takes to a client, and how long a conversation of a killed server is away. */
export const team = {
  name: 'team',
  runs: 5,
  rows: {
    ownMedian: { what: 'event to client: median', unit: 'ms', budget: 5, aim: 2 },
    ownTail: { what: 'same: 99 of 100', unit: 'ms', budget: 30, aim: 15 },
    storeMedian: { what: 'event to client, with a store: median', unit: 'ms', budget: 10, aim: 4 },
    storeTail: { what: 'same: 99 of 100', unit: 'ms', budget: 60, aim: 30 },
    storeFlood: { what: 'server flood, with a store: CPU per delta', unit: 'µs', budget: 20, aim: 15 },
    takeover: { what: 'killed server: until another has its conversation', unit: 'ms', budget: 5000, aim: 4000 },
  },
  async measure(context) {
    const own = await lags(context, [])
    const none = { storeMedian: Number.NaN, storeTail: Number.NaN, storeFlood: Number.NaN, takeover: Number.NaN }
    const shared = hasNats ? await withStore(context) : none
    return { ownMedian: quantile(own, 0.5), ownTail: quantile(own, 0.99), ...shared }
  },
}

async function withStore(context) {
  const place = context.copyOf(context.place)
  await using nats = await startNats(place.home)
  const args = ['--store', nats.url]
  const shared = await lags({ ...context, place }, args)
  const storeFlood = await cpuOfFlood({ ...context, place }, args)
  const takeover = await timeOfTakeover(context, args)
  return { storeMedian: quantile(shared, 0.5), storeTail: quantile(shared, 0.99), storeFlood, takeover }
}

/** Resolves to the times from each event of a turn with commands to its arrival. */
async function lags({ program, model, place }, args) {
  await using server = await openServer(program, place, args)
  const conversationId = await server.create()
  await model.play({ play: 'calls', count: calls })
  const found = []
  const ended = server.until((type, line) => {
    found.push(lagOf(line))
    return type === 'turn.ended' ? true : undefined
  })
  await server.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'go' }] })
  await ended
  return found
}

/** Resolves to the µs of CPU that the server takes for each delta of a flood: 20 are 50,000 a second of one core. */
async function cpuOfFlood({ program, model, place }, args) {
  await using server = await openServer(program, place, args)
  const conversationId = await server.create()
  await model.play({ play: 'flood', count: deltas })
  const beforeMs = cpuMs([server.pid])
  await server.turn(conversationId, 'go')
  return ((cpuMs([server.pid]) - beforeMs) * 1000) / deltas
}

/** Kills the server of a conversation; resolves to the time until another one has it. */
async function timeOfTakeover({ program, model, place, copyOf }, args) {
  const [one, other] = [copyOf(place), copyOf(place)]
  const owner = startServer(program, one, args)
  await using taker = startServer(program, other, args)
  await Promise.all([owner.initialize(), taker.initialize()])
  const conversationId = await owner.create()
  await model.play({ play: 'hello' })
  await owner.turn(conversationId, 'go')
  await owner.kill()
  const killedMs = nowMs()
  await taker.request('conversation/resume', { conversationId })
  return nowMs() - killedMs
}
