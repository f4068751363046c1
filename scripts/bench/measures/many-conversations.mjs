import { nowMs, sleep } from '../clock.mjs'
import { residentMiB } from '../process-tree.mjs'
import { openServer } from '../server-client.mjs'

const settleMs = 2000
const bytesOfMiB = 1024

/** Measures turns of many conversations at once: events a second, and the memory of each once it is idle. */
export const manyConversations = {
  name: 'many-conversations',
  runs: 2,
  rows: {
    of1: { what: 'events a second: one conversation', unit: '/s', budget: 300, aim: 1000, more: true },
    of100: { what: 'same: a hundred at once', unit: '/s', budget: 300, aim: 1000, more: true },
    of1000: { what: 'same: a thousand at once', unit: '/s', budget: 300, aim: 1000, more: true },
    memory: { what: 'memory of a live idle conversation, of a thousand', unit: 'KiB', budget: 600, aim: 150 },
  },
  async measure(context) {
    const [of1, of100] = [await run(context, 1, 50), await run(context, 100, 2)]
    const of1000 = await run(context, 1000, 1)
    return { of1: of1.perSecond, of100: of100.perSecond, of1000: of1000.perSecond, memory: of1000.memoryKiB }
  },
}

/** Runs turns one after the other in each of some conversations at once. */
async function run({ program, model, place }, conversations, turns) {
  await using server = await openServer(program, place)
  await model.play({ play: 'hello' })
  const warm = await server.create()
  await server.turn(warm, 'go')
  await sleep(settleMs)
  const beforeMiB = residentMiB([server.pid])
  const ids = []
  for (let nth = 0; nth < conversations; nth++) ids.push(await server.create())
  const left = new Map(ids.map((id) => [id, turns]))
  const send = (conversationId) =>
    server.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'go' }] })
  let events = 0
  const ended = server.until((type, line) => {
    events++
    if (type !== 'turn.ended') return undefined
    const id = /"conversationId":"([^"]+)"/.exec(line.toString('latin1', 0, 256))?.[1]
    const rest = left.get(id) - 1
    left.set(id, rest)
    if (rest > 0) void send(id)
    else left.delete(id)
    return left.size === 0 ? true : undefined
  })
  const startedMs = nowMs()
  for (const id of ids) void send(id)
  await ended
  const perSecond = (events * 1000) / (nowMs() - startedMs)
  await sleep(settleMs)
  return { perSecond, memoryKiB: ((residentMiB([server.pid]) - beforeMiB) * bytesOfMiB) / conversations }
}
