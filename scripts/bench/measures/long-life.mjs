import { nowMs } from '../clock.mjs'
import { openServer } from '../server-client.mjs'
import { attachTo, longestWait } from '../wire-client.mjs'
import { placeWorkLog } from '../work-log.mjs'

const outputBytes = 4000

/** Measures a conversation of 10,000 turns (0.25 GB) beside one of 100, both closed in good order before. */
export const longLife = {
  name: 'long',
  runs: 3,
  rows: {
    opened: { what: '10,000 turns: resume until the state is here', unit: 'ms', budget: 150, aim: 50 },
    over: { what: 'same, over 100 turns', unit: '×', budget: 1.5, aim: 1.1 },
    page: { what: 'same: a page of the oldest items', unit: 'ms', budget: 50, aim: 10 },
    fork: { what: 'same: fork', unit: 'ms', budget: 3000, aim: 500 },
    others: { what: 'same: longest wait of another client', unit: 'ms', budget: 50, aim: 20 },
  },
  async prepare({ program, place }) {
    const [long, short] = [10_000, 100].map((turns) => placeWorkLog(place, { turns, outputBytes }))
    // As they are closed, their checkpoints are written.
    for (const conversationId of [long, short]) await opened({ program, place, conversationId })
    return { long, short }
  },
  async measure({ program, place, prepared: { long, short } }) {
    const hundred = await opened({ program, place, conversationId: short })
    const tenThousand = await opened({ program, place, conversationId: long })
    return {
      opened: tenThousand,
      over: tenThousand / hundred,
      ...(await readBy({ program, place, conversationId: long })),
    }
  },
}

/** Resolves to the time from the request until the state is here. */
async function opened({ program, place, conversationId }) {
  await using server = await openServer(program, place)
  const startedMs = nowMs()
  await server.request('conversation/resume', { conversationId })
  await server.request('conversation/stream', { conversationId })
  return nowMs() - startedMs
}

async function readBy({ program, place, conversationId }) {
  await using server = await openServer(program, place)
  using other = await attachTo(await server.socket())
  const waits = longestWait(other, 'server/diagnostics')
  await server.request('conversation/resume', { conversationId })
  const page = await timed(() => server.request('conversation/read', { conversationId, before: 500 }))
  let copy
  const fork = await timed(async () => {
    copy = await server.request('conversation/fork', { conversationId })
  })
  const others = await waits.stop()
  await server.request('conversation/delete', { conversationId: copy.conversationId })
  return { page, fork, others }
}

async function timed(run) {
  const startedMs = nowMs()
  await run()
  return nowMs() - startedMs
}
