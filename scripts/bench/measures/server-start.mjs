import { nowMs } from '../clock.mjs'
import { openServer } from '../server-client.mjs'
import { median } from '../statistics.mjs'

const warmTurns = 5

export const serverStart = {
  name: 'server',
  runs: 9,
  rows: {
    initialize: { what: 'server: spawn to initialize', unit: 'ms', budget: 80, aim: 50 },
    create: { what: 'server: create', unit: 'ms', budget: 20, aim: 5 },
    overhead: { what: 'server: first delta, ours of it, warm', unit: 'ms', budget: 25, aim: 8 },
  },
  async measure({ program, model, place }) {
    await model.play({ play: 'hello' })
    await using server = await openServer(program, place)
    const initializedMs = nowMs()
    const conversationId = await server.create()
    const createdMs = nowMs()
    await server.turn(conversationId, 'warm up')
    const overheads = []
    for (let turn = 0; turn < warmTurns; turn++) overheads.push(await overheadOf(server, model, conversationId))
    return {
      initialize: initializedMs - server.spawnedMs,
      create: createdMs - initializedMs,
      overhead: median(overheads),
    }
  },
}

/** Resolves to the time from a message to its first delta, without the time of the model. */
async function overheadOf(server, model, conversationId) {
  await model.play({ play: 'hello' })
  const { sentMs, firstDeltaMs } = await server.turn(conversationId, 'hello')
  const [note] = (await model.notes()).notes
  return note.arrivedMs - sentMs + firstDeltaMs - note.firstDeltaMs
}
