import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ExecClient, type Message, textOf } from './support/exec-client.ts'
import { execPlace } from './support/in-process.ts'

interface Kept {
  readonly chunks: readonly { readonly seq: number; readonly stream: string; readonly chunk: string }[]
  readonly nextSeq: number
  readonly gap: { readonly fromSeq: number; readonly toSeq: number } | null
  readonly closed: boolean
  readonly exitCode: number | null
  readonly lastSeq: number
}

async function read(client: ExecClient, params: Record<string, unknown>): Promise<Kept> {
  const { result } = await client.ask('process/read', params)
  return result as unknown as Kept
}

async function readAll(client: ExecClient, processId: string): Promise<{ bytes: Buffer; seqs: number[] }> {
  const pieces: Kept['chunks'][number][] = []
  for (let after = 0; ; ) {
    const { chunks, nextSeq } = await read(client, { processId, afterSeq: after })
    if (chunks.length === 0) break
    pieces.push(...chunks)
    after = nextSeq - 1
  }
  return {
    bytes: Buffer.concat(pieces.map(({ chunk }) => Buffer.from(chunk, 'base64'))),
    seqs: pieces.map(({ seq }) => seq),
  }
}

const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex')
const seqsOf = (told: readonly Message[]) => told.map(({ params }) => params?.seq)

describe('the output of a process', () => {
  it('can be read again from any number, with its exit', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const told = await client.run('a', ['sh', '-c', 'echo one; sleep 0.05; echo two; exit 3'])
    const last = told.length
    const whole = await read(client, { processId: 'a' })
    expect(whole).toMatchObject({ gap: null, exited: true, exitCode: 3, closed: true, lastSeq: last })
    const outputs = told.filter(({ method }) => method === 'process/output')
    expect(whole.chunks).toEqual(
      outputs.map(({ params }) => ({ seq: params?.seq, stream: 'stdout', chunk: params?.['chunk'] })),
    )
    expect((await read(client, { processId: 'a', afterSeq: 1 })).chunks).toEqual(whole.chunks.slice(1))
    expect(await read(client, { processId: 'a', afterSeq: last })).toMatchObject({ chunks: [], nextSeq: last + 1 })
    expect((await client.ask('process/read', { processId: 'b' })).error?.message).toBe('unknown process id b')
  })

  it('beyond the memory limit comes from the disk, byte for byte', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const told = await client.run('a', ['sh', '-c', 'seq 1 400000; seq 1 400000 >&2'])
    const kept = await readAll(client, 'a')
    expect(kept.bytes.length).toBeGreaterThan(5_000_000)
    expect(digest(kept.bytes)).toBe(digest(textOf(told)))
    expect(kept.seqs).toEqual(seqsOf(told.filter(({ method }) => method === 'process/output')))
    const few = await read(client, { processId: 'a', maxBytes: 1 })
    expect(few.chunks.map(({ seq }) => seq)).toEqual([1])
    const middle = await read(client, { processId: 'a', afterSeq: 20, maxBytes: 200_000 })
    expect(middle.chunks[0]?.seq).toBe(21)
    expect(middle.chunks.at(-1)?.seq).toBe(middle.nextSeq - 1)
  })

  it('beyond the file limit is reported as a gap', async () => {
    await using place = execPlace({ retention: { memoryBytes: 100_000, fileBytes: 1_000_000, chunks: 1000 } })
    const client = await place.greeted()
    const told = await client.run('a', ['head', '-c', '3000000', '/dev/zero'])
    const { gap, chunks } = await read(client, { processId: 'a' })
    expect(gap).toEqual({ fromSeq: 1, toSeq: (chunks[0]?.seq ?? 0) - 1 })
    const kept = await readAll(client, 'a')
    expect(kept.bytes.length).toBeGreaterThan(800_000)
    expect(kept.bytes.length).toBeLessThanOrEqual(1_000_000)
    expect(kept.seqs.at(-1)).toBe(told.filter(({ method }) => method === 'process/output').at(-1)?.params?.seq)
    expect((await read(client, { processId: 'a', afterSeq: gap?.toSeq })).gap).toBeNull()
  })

  it('is waited for when there is none yet, up to waitMs', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('a', ['sh', '-c', 'read x; echo "$x"; read y'], { pipeStdin: true })
    expect(await read(client, { processId: 'a', waitMs: 20 })).toMatchObject({ chunks: [], nextSeq: 1, closed: false })
    const waiting = read(client, { processId: 'a', waitMs: 60_000 })
    const atEnd = read(client, { processId: 'a', afterSeq: 1, waitMs: 60_000 })
    await client.ask('process/write', { processId: 'a', chunk: Buffer.from('hello\n').toString('base64') })
    expect((await waiting).chunks.map(({ seq }) => seq)).toEqual([1])
    await client.ask('process/terminate', { processId: 'a' })
    expect(await atEnd).toMatchObject({ chunks: [], exited: true })
  })
})

it('a reader that follows nextSeq gets no reply before there is new output', async () => {
  await using place = execPlace()
  const client = await place.greeted()
  // A grandchild holds the pipe, so the close comes a while after the exit.
  await client.start('a', ['sh', '-c', 'sleep 60 & echo hi'])
  await client.untilTold('a', 'process/exited')
  const answers = [await read(client, { processId: 'a' })]
  for (let last = answers[0]; last !== undefined && !last.closed; last = answers.at(-1)) {
    answers.push(await read(client, { processId: 'a', afterSeq: last.nextSeq - 1, waitMs: 10_000 }))
  }
  expect(answers).toMatchObject([{ nextSeq: 3 }, { nextSeq: 4, lastSeq: 3, exitCode: 0, closed: true }])
})

describe('much output', () => {
  it('of many processes at once arrives completely and in order', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const ids = ['a', 'b', 'c', 'd']
    await Promise.all(
      ids.map((id) => client.run(id, ['sh', '-c', `seq 1 30000 | sed s/^/${id}/`], { tty: id === 'd' })),
    )
    for (const id of ids) {
      const lines = client.text(id).replaceAll('\r', '').trimEnd().split('\n')
      expect(lines).toHaveLength(30_000)
      expect(lines.at(-1)).toBe(`${id}30000`)
      expect(seqsOf(client.told(id))).toEqual(client.told(id).map((_, at) => at + 1))
    }
  })
})
