import { watchIdle } from '../process-tree.mjs'
import { openServer } from '../server-client.mjs'

/** Time until all work after the start is done. */
const settleMs = 3000
const watchedMs = 2000

export const serverIdle = {
  name: 'server-idle',
  runs: 3,
  rows: {
    memory: { what: 'idle server: memory', unit: 'MiB', budget: 80, aim: 80 },
    cpu: { what: 'idle server: CPU', unit: '%', budget: 0.1, aim: 0 },
    afterCommands: {
      what: 'idle server after two commands: memory of all its processes',
      unit: 'MiB',
    },
  },
  async measure({ program, model, place }) {
    await using server = await openServer(program, place)
    const conversationId = await server.create()
    const fresh = await watchIdle(server.pid, settleMs, watchedMs)
    await model.play({ play: 'calls', count: 2 })
    await server.turn(conversationId, 'go')
    const used = await watchIdle(server.pid, settleMs, watchedMs)
    return { memory: fresh.memory, cpu: Math.max(fresh.cpu, used.cpu), afterCommands: used.memory }
  },
}
