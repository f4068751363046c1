import { setTimeout as pause } from 'node:timers/promises'
import { watchMemory } from '../peak-memory.mjs'
import { openServer } from '../server-client.mjs'
import { attachTo, lagOf } from '../wire-client.mjs'

/**
 * Time for which the reader is stalled. The promise is for 60 s; the memory kept for the reader does not grow after the
 * first second.
 */
const stalledMs = 10_000
/** Time of the same events without a stalled reader. Growth is counted from the peak of that run. */
const calmMs = 10_000
const text = 'A line of fifty bytes that stands for many more.\n'.repeat(1_000)
const bytesPerMs = 10_000
const everyMs = text.length / bytesPerMs

/** Measures a reader that does not read while events of 10 MB a second are recorded, and reads on then. */
export const stalledReader = {
  name: 'stalled-reader',
  runs: 3,
  rows: {
    growth: { what: 'reader stalled 10 s at 10 MB/s: growth', unit: 'MiB', budget: 16, aim: 4 },
    lag: { what: 'same: p99 delay of another reader', unit: 'ms', budget: 50, aim: 20 },
    lost: { what: 'same: events that did not arrive in the end', unit: '', budget: 0, aim: 0 },
  },
  async measure({ program, model, place }) {
    await using server = await openServer(program, place)
    const conversationId = await server.create()
    const edit = await queueMessage(server, model, conversationId)
    const path = await server.socket()
    using stalled = await attachTo(path)
    using other = await attachTo(path)
    for (const client of [stalled, other]) await client.request('conversation/stream', { conversationId })
    const calm = watchMemory(() => [server.pid])
    await editFor(edit, calmMs)
    const calmMiB = calm.stop()
    const missing = missingUpTo(stalled, 'message.removed')
    stalled.pause()
    const lags = lagsUpTo(other, 'message.removed')
    const memory = watchMemory(() => [server.pid])
    await editFor(edit, stalledMs)
    const growth = memory.stop() - calmMiB
    await server.request('conversation/inbox/remove', { conversationId, messageId })
    const sorted = (await lags).toSorted((a, b) => a - b)
    stalled.resume()
    return { growth, lag: sorted[Math.floor(sorted.length * 0.99)], lost: await missing }
  },
}

const messageId = 'm-stalled-reader'

/** Queues a message behind a turn that goes on. Returns the function that edits it, which records an event. */
async function queueMessage(server, model, conversationId) {
  await model.play({ play: 'paced', count: 1_000_000, intervalMs: 1_000 })
  const input = [{ type: 'text', text: 'go' }]
  await server.request('conversation/sendMessage', { conversationId, input })
  await server.request('conversation/sendMessage', { conversationId, input, messageId, when: 'queue' })
  const content = [{ type: 'text', text }]
  return () => server.request('conversation/inbox/edit', { conversationId, messageId, content })
}

/** Edits at the wanted rate, or as fast as the server answers where that is slower. */
async function editFor(edit, durationMs) {
  const startedMs = performance.now()
  for (let sent = 0; performance.now() - startedMs < durationMs; sent++) {
    const waitMs = startedMs + sent * everyMs - performance.now()
    if (waitMs > 0) await pause(waitMs)
    await edit()
  }
}

function seqOf(line) {
  return Number(/"seq":(\d+)/.exec(line.toString('latin1', 0, 256))?.[1])
}

/** Resolves to the number of events that are missing up to the first one of a type. */
function missingUpTo(client, last) {
  let first
  let received = 0
  return client.until((type, line) => {
    first ??= seqOf(line)
    received += 1
    return type === last ? seqOf(line) - first + 1 - received : undefined
  })
}

/** Resolves to the times from each event to its arrival, up to the first one of a type. */
function lagsUpTo(client, last) {
  const lags = []
  return client.until((type, line) => {
    lags.push(lagOf(line))
    return type === last ? lags : undefined
  })
}
