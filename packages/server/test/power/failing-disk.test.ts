import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { talkUntilTrouble } from '@parley/engine/test/support/talk-until-trouble.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { type DiskCall, interceptDisk } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { fullAccess, type TestPlace, testPlace } from '../engine/support/test-server.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
/** Calls from one that fails to the next that does. */
const stride = isLong ? 3 : 61

const command = { name: 'shell', args: { command: 'seq 1 3000; touch made' } }

/** Errors as Node gives them: it has no name for two of these. */
const errors = {
  EIO: { code: 'EIO', errno: -constants.errno.EIO },
  EDQUOT: { code: 'UNKNOWN', errno: -constants.errno.EDQUOT },
  ENOLCK: { code: 'UNKNOWN', errno: -constants.errno.ENOLCK },
} as const

/** Lets the nth call on a file below a folder fail. A close is left alone, since the kernel closes in any case. */
async function failNth(root: string, n: number, { code, errno }: { readonly code: string; readonly errno: number }) {
  const descriptors = new Set<unknown>()
  let count = 0
  const isBelow = ({ args: [target] }: DiskCall) =>
    typeof target === 'string' ? target.startsWith(root) : descriptors.has(target)
  const interception = await interceptDisk((call) => {
    const { name, args } = call
    if (name === 'close') return void descriptors.delete(args[0])
    if (!isBelow(call)) return undefined
    count++
    if (count === n) throw Object.assign(new Error(`${code}: injected, ${name}`), { code, errno, syscall: name })
    if (name !== 'open') return undefined
    return (opened) => void descriptors.add(typeof opened === 'number' ? opened : Reflect.get(Object(opened), 'fd'))
  })
  return { [Symbol.dispose]: () => interception[Symbol.dispose](), count: () => count }
}

/** Shown events are in the log, and a server with a disk that works goes on without running anything again. */
async function expectKept(place: TestPlace, watched: Awaited<ReturnType<typeof talkUntilTrouble>>): Promise<void> {
  if (watched === null || watched.cursor.seq === 0 || !existsSync(place.path(watched.conversationId))) return
  const { conversationId, events } = watched
  const stored = new Map(place.logLines(conversationId).map((line) => [JSON.parse(line).seq, JSON.parse(line).crc]))
  for (const { seq, crc } of events) expect({ seq, crc: stored.get(seq) }).toEqual({ seq, crc })
  const { host, started } = countingHost()
  const server = place.start({ host, model: scriptedModel({ text: 'C' }), ceiling: fullAccess })
  const client = await server.connect()
  await client.request('conversation/resume', { conversationId })
  const resumed = await client.watch(conversationId)
  await resumed.send('go on')
  await resumed.turnEnded()
  expect([started, resumed.state.core.open, resumed.state.core.lastTurn?.outcome]).toEqual([[], {}, 'completed'])
}

describe('a call on a file that fails once', () => {
  it.each(Object.entries(errors))(
    'with %s loses nothing shown and runs nothing twice, whichever it is',
    {
      timeout: isLong ? 600_000 : 120_000,
    },
    async (name, error) => {
      for (let n = 1; ; n += stride) {
        await using place = testPlace()
        const { host, started } = countingHost()
        const model = scriptedModel({ text: 'Running.', calls: [command] }, { text: 'A' }, { text: 'B' })
        const server = place.start({ host, model, clock: testClock(), ceiling: fullAccess })
        const client = await server.connect()
        using disk = await failNth(place.root, n, error)
        const watched = await talkUntilTrouble(client, place.cwd, ['storageFailed', 'configInvalid', 'cwdMissing'])
        await server.close().catch(() => undefined)
        const isDone = disk.count() < n
        disk[Symbol.dispose]()
        expect({ name, n, started: started.length <= 1 }).toEqual({ name, n, started: true })
        await expectKept(place, watched)
        if (isDone) break
      }
    },
  )
})
