import { setTimeout as pause } from 'node:timers/promises'
import { watchMemory } from '../peak-memory.mjs'
import { residentMiB } from '../process-tree.mjs'
import { openServer } from '../server-client.mjs'
import { attachTo, longestWait } from '../wire-client.mjs'

const line = 'if (a[0] === "b") { return { c: [1, 2, 3] } } else throw new Error(`x`)\n'
const text = line.repeat((15 << 20) / line.length)
const calmMs = 500

/** Measures one message near the limit of its size, from sending it to the end of its turn. */
export const largeMessage = {
  name: 'large-message',
  runs: 3,
  rows: {
    wait: { what: 'message of 15 MiB: longest wait of others', unit: 'ms', budget: 200, aim: 100 },
    growth: { what: 'same: growth of the server at its peak', unit: 'MiB', budget: 64, aim: 48 },
  },
  async measure({ program, model, place }) {
    await using server = await openServer(program, place)
    await model.play({ play: 'hello' })
    const conversationId = await server.create()
    await server.turn(conversationId, 'hello')
    using other = await attachTo(await server.socket())
    await pause(calmMs)
    const before = residentMiB([server.pid])
    const memory = watchMemory(() => [server.pid])
    const waits = longestWait(other)
    await server.turn(conversationId, text)
    return { wait: await waits.stop(), growth: memory.stop() - before }
  },
}
