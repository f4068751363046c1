import { runMetered } from '../run-metered.mjs'
import { openServer } from '../server-client.mjs'
import { startTerminal } from '../terminal.mjs'
import { composerMark, key } from './screen-start.mjs'

const count = 2000

/** Measures resuming a conversation of 2,000 calls, beside starting a new one. */
export const resume = {
  name: 'resume',
  runs: 5,
  rows: {
    request: { what: 'resume of 2,000 calls: first request, over a fresh start', unit: 'ms', budget: 150, aim: 50 },
    keys: { what: 'same: the terminal takes keys', unit: 'ms', budget: 250, aim: 90 },
    identical: {
      what: 'same: request as the live one, byte for byte',
      unit: '(yes = 1)',
      more: true,
      budget: 1,
      aim: 1,
    },
  },
  /** Makes one long conversation and copies its home; each run resumes a copy. */
  async prepare({ program, model, place, copyOf }) {
    await using server = await openServer(program, place)
    const conversationId = await server.create()
    await model.play({ play: 'calls', count })
    await server.turn(conversationId, 'go')
    const copy = copyOf(place)
    await model.play({ play: 'hello' })
    await server.turn(conversationId, 'and now?')
    const { newestBodyHash } = await model.notes()
    return { copy, conversationId, newestBodyHash }
  },
  async measure({ program, model, copyOf, prepared, place }) {
    const { copy, conversationId, newestBodyHash } = prepared
    const fresh = await firstRequest(model, [program.launcher, 'exec', 'and now?'], place)
    const again = copyOf(copy)
    const keys = await keysTaken([program.launcher, 'resume', conversationId], again)
    const argv = [program.launcher, 'exec', 'resume', conversationId, 'and now?']
    const resumed = await firstRequest(model, argv, again)
    const identical = resumed.bodyHash === newestBodyHash ? 1 : 0
    return { request: resumed.afterMs - fresh.afterMs, keys, identical }
  },
}

async function firstRequest(model, argv, place) {
  await model.play({ play: 'hello' })
  const { startedMs } = await runMetered(argv, { env: place.env, cwd: place.workspace })
  const { notes, newestBodyHash } = await model.notes()
  return { afterMs: notes[0].arrivedMs - startedMs, bodyHash: newestBodyHash }
}

async function keysTaken(argv, place) {
  await using terminal = startTerminal(argv, place)
  await terminal.sees(composerMark)
  const echoed = terminal.sees(key)
  terminal.type(key)
  return (await echoed) - terminal.spawnedMs
}
