import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ExecClient, Message } from './support/exec-client.ts'
import { execPlace } from './support/in-process.ts'

async function sessionOf(client: ExecClient): Promise<string> {
  return String((await client.greet()).result?.['sessionId'])
}

describe('a session', () => {
  it('outlives its connection: missed output can be read, later output is sent', async () => {
    await using place = execPlace()
    const first = place.connect()
    const sessionId = await sessionOf(first)
    const script = 'echo one; read x; echo two; read y; echo three'
    await first.start('a', ['sh', '-c', script], { pipeStdin: true })
    await first.untilTold('a', 'process/output')
    await first.ask('process/write', { processId: 'a', chunk: Buffer.from('\n').toString('base64'), writeId: 'w1' })
    await first.leave()
    const second = place.connect()
    const answer = await second.greet({ clientName: 'test', resumeSessionId: sessionId })
    expect(answer.result).toMatchObject({ sessionId })
    const missed = () => second.ask('process/read', { processId: 'a', afterSeq: 1, waitMs: 1000 })
    await waitUntil(async () => JSON.stringify((await missed()).result).includes('"seq":2'), { what: 'two' })
    await second.ask('process/write', { processId: 'a', chunk: Buffer.from('\n').toString('base64'), writeId: 'w1' })
    expect(second.told('a').filter(({ method }) => method === 'process/exited')).toEqual([])
    await second.ask('process/write', { processId: 'a', chunk: Buffer.from('\n').toString('base64'), writeId: 'w2' })
    const closed = await second.untilTold('a', 'process/closed')
    expect(closed.params?.seq).toBe(5)
    expect(second.text('a')).toMatch(/three\n$/)
  })

  it('has one connection at a time', async () => {
    await using place = execPlace()
    const first = place.connect()
    const resumeSessionId = await sessionOf(first)
    const second = place.connect()
    expect((await second.greet({ clientName: 'test', resumeSessionId })).error).toMatchObject({
      code: -32010,
      data: { code: 'sessionInUse' },
    })
    await first.leave()
    await waitUntil(async () => (await second.greet({ clientName: 'test', resumeSessionId })).result, {
      what: 'the session',
    })
  })

  it('moves to a new connection when its holder answers no ping', async () => {
    await using place = execPlace({ answersWithinMs: 200 })
    await using first = await place.dial()
    const resumeSessionId = await sessionOf(first)
    await first.start('a', ['cat'], { pipeStdin: true })
    await using second = await place.dial()
    expect((await second.greet({ clientName: 'test', resumeSessionId })).error?.code).toBe(-32010)
    first.stopReading()
    await first.ask('environment/info') // the last that it reads, pings included
    const later = [second.greet({ clientName: 'test', resumeSessionId }), second.ask('initialize', { clientName: 'b' })]
    const [resumed, again] = await Promise.all(later)
    expect(resumed?.result).toMatchObject({ sessionId: resumeSessionId })
    expect(again?.error?.message).toBe('initialize may only be sent once per connection')
    const chunk = Buffer.from('still here\n').toString('base64')
    await second.ask('process/write', { processId: 'a', chunk, closeStdin: true })
    await second.untilTold('a', 'process/closed')
    expect(second.text('a')).toBe('still here\n')
    first.readOn()
    await first.closed()
    expect(first.told('a')).toEqual([])
    expect((await second.ask('process/read', { processId: 'a' })).result).toMatchObject({ closed: true })
  })

  it('cannot be resumed when it is unknown; a new one can be opened', async () => {
    await using place = execPlace()
    const client = place.connect()
    expect((await client.greet({ clientName: 'test', resumeSessionId: 'none' })).error).toMatchObject({
      code: -32600,
      data: { code: 'unknownSession' },
    })
    expect((await client.greet()).result).toBeDefined()
  })

  it('that is not resumed ends with all process trees', async () => {
    await using place = execPlace({ lingerMs: 100 })
    const first = place.connect()
    const resumeSessionId = await sessionOf(first)
    await first.start('a', ['sh', '-c', '(setsid sleep 60 &) ; sleep 60'])
    await waitUntil(() => place.descendants().length >= 3, { what: 'the tree' })
    await first.leave()
    await place.noDescendants()
    const second = place.connect()
    expect((await second.greet({ clientName: 'test', resumeSessionId })).error?.code).toBe(-32600)
  })

  it('without lingering ends with its connection', async () => {
    await using place = execPlace({ lingerMs: 0 })
    const client = await place.greeted()
    await client.start('a', ['sh', '-c', 'setsid sleep 60 & sleep 60'])
    await waitUntil(() => place.descendants().length >= 2, { what: 'the tree' })
    await client.leave()
    expect(await place.noDescendants()).toBe(true)
  })

  it.each([
    'before initialize',
    'before initialized',
    'after a start',
    'with a read pending',
    'with a process running',
  ])('whose client vanishes %s leaves nothing behind', async (step) => {
    await using place = execPlace({ lingerMs: 0 })
    const client = place.connect()
    const steps: Record<string, () => Promise<unknown> | unknown> = {
      'before initialize': () => undefined,
      'before initialized': () => client.ask('initialize', { clientName: 'test' }),
      'after a start': async () => {
        await client.greet()
        client.sendLine(
          JSON.stringify({
            ...{ jsonrpc: '2.0', id: 99, method: 'process/start' },
            params: {
              processId: 'a',
              argv: ['sleep', '60'],
              cwd: '/',
              env: { ...place.env, PATH: process.env['PATH'] },
            },
          }),
        )
      },
      'with a read pending': async () => {
        await client.greet()
        await client.start('a', ['sleep', '60'])
        client.sendLine('{"jsonrpc":"2.0","id":99,"method":"process/read","params":{"processId":"a","waitMs":60000}}')
      },
      'with a process running': async () => {
        await client.greet()
        await client.start('a', ['sleep', '60'])
      },
    }
    expect(Object.keys(steps)).toContain(step)
    await steps[step]?.()
    await client.leave()
    await client.closed()
    expect(await place.noDescendants()).toBe(true)
  })

  it('without a connection pauses its processes when the buffer is full, and loses nothing', {
    timeout: 15_000,
  }, async () => {
    await using place = execPlace({ retention: { memoryBytes: 100_000, fileBytes: 2_000_000, chunks: 1000 } })
    await using folder = await tempDirectory()
    const first = place.connect()
    const resumeSessionId = await sessionOf(first)
    const script = 'read go; i=0; while [ $i -lt 100 ]; do head -c 50000 /dev/zero; i=$((i+1)); echo $i > count; done'
    await first.start('a', ['sh', '-c', script], { cwd: folder.path, pipeStdin: true })
    await first.ask('process/write', { processId: 'a', chunk: Buffer.from('\n').toString('base64') })
    await first.leave()
    // The count stands while the process waits in its write, for which there is no event.
    const count = () => Number(readFileSync(join(folder.path, 'count'), 'utf8'))
    await waitUntil(() => count() > 33, { what: 'the room to be used up' })
    let before = 0
    const stands = async () => {
      before = count()
      await delay(200)
      return before === count()
    }
    await waitUntil(stands, { what: 'the process to wait' })
    expect(before).toBeLessThan(60)
    const second = place.connect()
    await second.greet({ clientName: 'test', resumeSessionId })
    await second.untilTold('a', 'process/output')
    await delay(200) // in which nothing new may push out what has still to be asked for
    // Output on its way when the connection was lost.
    const received = first.told('a').length
    const missed = await second.ask('process/read', { processId: 'a', afterSeq: received })
    expect(missed.result).toMatchObject({ gap: null })
    await second.untilTold('a', 'process/closed')
    const lost = chunksOf(missed).filter(({ seq }) => seq < (second.told('a')[0]?.params?.seq ?? 0))
    const told = [...first.told('a'), ...second.told('a')].map(({ params }) => params)
    expect([...told.map((params) => params?.seq), ...lost.map(({ seq }) => seq)].toSorted(byNumber)).toEqual(
      Array.from({ length: told.length + lost.length }, (_, at) => at + 1),
    )
    const bytes = [...told.map((params) => params?.['chunk'] ?? ''), ...lost.map(({ chunk }) => chunk)]
    expect(bytes.reduce<number>((sum, chunk) => sum + Buffer.byteLength(String(chunk), 'base64'), 0)).toBe(5_000_000)
  })
})

const byNumber = (a = 0, b = 0) => a - b

function chunksOf({ result }: Message): readonly { readonly seq: number; readonly chunk: string }[] {
  return (result?.['chunks'] ?? []) as { seq: number; chunk: string }[]
}
