import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { encodeLine } from '@parley/journal'
import { startModelServer } from '@parley/testkit'
import { expect, it } from 'vitest'
import { bytesInUse } from '../e2e/support/bytes-in-use.ts'
import { processPlace } from '../e2e/support/spawned-server.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const logBytes = isLong ? 2 * 1024 ** 3 : 64 * 1024 ** 2
const textBytes = 256 * 1024

/** Appends finished notices to a log until it has that size. Returns the number of its last event. */
function grow(path: string, last: number, sizeBytes: number): number {
  const text = 'x'.repeat(textBytes)
  const file = openSync(path, 'a')
  let seq = last
  for (let size = 0; size < sizeBytes; size += textBytes) {
    seq += 1
    const item = {
      id: `i-${seq}`,
      type: 'notice',
      status: 'completed',
      title: `notice ${seq}`,
      text,
      level: 'info',
      code: 'filler',
    } as const
    writeSync(file, `${encodeLine({ seq, at: seq, event: { type: 'item.completed', item } }).text}\n`)
  }
  closeSync(file)
  return seq
}

/** Most resident memory that a process has had, in MiB. */
const peakMiB = (pid: number) =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

it.runIf(process.platform === 'linux')(
  `a log of ${logBytes / 1024 ** 2} MiB is opened in bounded memory, others are served meanwhile, and the conversation goes on`,
  { timeout: isLong ? 600_000 : 60_000 },
  async () => {
    await using model = await startModelServer([{ text: 'Here again.' }])
    await using place = processPlace(model.url)
    const { watched: first, server: here } = await place.talk()
    const { conversationId } = first
    await first.send('one')
    await first.turnEnded()
    await here.close()
    const last = grow(place.path(conversationId), first.cursor.seq, logBytes)
    const server = place.spawn()
    const client = await server.connect()
    const before = peakMiB(server.pid)
    let served = 0
    const opened = client.request('conversation/resume', { conversationId })
    const other = await server.join('other')
    for (let isOpen = false; !isOpen; served++) {
      isOpen = await Promise.race([opened.then(() => true), other.request('server/diagnostics', {}).then(() => false)])
    }
    expect(served).toBeGreaterThan(1)
    const watched = await client.watch(conversationId)
    // Garbage that is not collected yet counts as resident; what is in use is far less.
    expect(peakMiB(server.pid) - before).toBeLessThan(400)
    expect((await bytesInUse(server)) / 1024 ** 2).toBeLessThan(100)
    expect(watched.items().at(-1)).toMatchObject({ title: `notice ${last}` })
    await watched.send('two')
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({ text: 'Here again.' })
  },
)
