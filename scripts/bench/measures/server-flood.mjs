import { watchMemory } from '../peak-memory.mjs'
import { cpuMs } from '../process-tree.mjs'
import { openServer } from '../server-client.mjs'

const count = 100_000

export const serverFlood = {
  name: 'server-flood',
  runs: 5,
  rows: {
    cpu: { what: 'server flood: CPU per delta', unit: 'µs', budget: 40, aim: 15 },
    memory: { what: 'server flood: peak memory', unit: 'MiB', budget: 150, aim: 110 },
  },
  async measure({ program, model, place }) {
    await using server = await openServer(program, place)
    const conversationId = await server.create()
    await model.play({ play: 'flood', count })
    const beforeMs = cpuMs([server.pid])
    const memory = watchMemory(() => [server.pid])
    await server.turn(conversationId, 'go')
    return { cpu: ((cpuMs([server.pid]) - beforeMs) * 1000) / count, memory: memory.stop() }
  },
}
