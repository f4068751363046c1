import { readFileSync } from 'node:fs'
import { headers } from '@nats-io/transport-node'
import { nodeFiles } from '@parley/journal'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { messageHeaders, placeOf } from '../../src/store/connection/layout.ts'
import { fetchLog } from '../../src/store/log/fetch-log.ts'
import { atBeginning, type ClaimName, logSubject, OutrunError } from '../../src/store/log/log-subject.ts'
import { createRecentContents } from '../../src/store/log/recent-contents.ts'
import { fenceLog } from '../../src/store/take-conversation.ts'
import { copyIn } from './copy-in.ts'

type Connected = Parameters<typeof logSubject>[0]

/** Store of messages in one stream, between those of other conversations; a text without bytes is a fence. */
function streamOf(texts: readonly string[], { apart = 1 } = {}) {
  const id = 'conversation'
  const kept: { readonly seq: number; readonly text: string; readonly to: number; readonly claim: string }[] = []
  const asked: string[] = []
  const add = (text: string, claim: string = '1.a') => {
    const { seq = 0, to = 0 } = kept.at(-1) ?? {}
    kept.push({ seq: seq + apart, text, to: to + text.length, claim })
    return seq + apart
  }
  for (const text of texts) add(text)

  const stored = ({ seq, text, to, claim }: (typeof kept)[number]) => {
    const header = headers()
    header.set(messageHeaders.bytes, `${to - text.length}-${to}`)
    header.set(messageHeaders.claim, claim)
    return { subject: placeOf(id).subject, seq, header, data: Buffer.from(text) }
  }
  const getMessage = async (_stream: string, query: Record<string, unknown>) => {
    asked.push(Object.keys(query).join())
    const after = Number(query['seq'])
    const found = 'last_by_subj' in query ? kept.at(-1) : kept.find(({ seq }) => seq >= after)
    return found === undefined ? null : stored(found)
  }
  const connected = { admin: { streams: { getMessage } }, streams: {} }
  const read = logSubject(connected as unknown as Connected, id)
  const subject = {
    ...read,
    publish: async ({ claim }: { claim: ClaimName }, after: number) => {
      if (after !== kept.at(-1)?.seq) throw new OutrunError(id, await read.last())
      return add('', claim)
    },
  }
  return { asked, add, subject }
}

const lengths = [1, 2, 3, 16, 17, 40, 100]

test.each(lengths)(
  '%i messages are read in order, with the newest that is known, wherever fences lie',
  async (length) => {
    for (const apart of [1, 7])
      for (const fences of [0, 1, 3]) {
        const lines = Array.from({ length }, (_, line) => `line ${line}\n`)
        const log = ['', ...lines.slice(0, -1), ...Array.from({ length: fences }, () => ''), ...lines.slice(-1)]
        for (const texts of [log, [...log, ''], [...log, '', '']]) {
          const { subject } = streamOf(texts, { apart })
          const newest = await subject.last()
          if (newest === null) throw new Error('there is no message')
          const found: { readonly sequence: number; readonly text: string }[] = []
          for await (const { sequence, bytes } of subject.read(atBeginning, newest))
            found.push({ sequence, text: Buffer.from(bytes).toString() })
          expect(found.map(({ text }) => text).join('')).toBe(lines.join(''))
          expect(found.map(({ sequence }) => sequence)).toEqual(
            found.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
          )
          expect(found.at(-1)?.sequence).toBe(newest.sequence)
        }
      }
  },
)

test('a log is read with one request for each message, and one that is read with one for all', async () => {
  await using world = await tempDirectory()
  const copy = copyIn(world.path, 'a', 'conversation')
  const { asked, subject } = streamOf(['a\n', 'b\n', 'c\n', 'd\n'])
  const ports = { ...around(), subject }
  await fetchLog(copy, ports)
  expect(readFileSync(copy.log, 'utf8')).toBe('a\nb\nc\nd\n')
  expect(asked).toEqual(['last_by_subj', 'seq,next_by_subj', 'seq,next_by_subj', 'seq,next_by_subj'])
  await fetchLog(copy, ports)
  expect(asked.slice(4)).toEqual(['last_by_subj'])
})

test('a log that was read before it was claimed is not read again, unless it has grown since', async () => {
  await using world = await tempDirectory()
  const copy = copyIn(world.path, 'a', 'conversation')
  const { add, asked, subject } = streamOf(['a\n', 'b\n'])
  const ports = { ...around(), subject }
  const fetched = await fetchLog(copy, ports)
  asked.length = 0
  expect(await fenceLog(copy, { claim: '2.b', fetched }, ports)).toMatchObject({ bytes: 4, sequence: 3, claim: '2.b' })
  expect(asked).toEqual([])

  add('c\n', '2.b')
  expect(await fenceLog(copy, { claim: '3.c', fetched }, ports)).toMatchObject({ bytes: 6, sequence: 5, claim: '3.c' })
  expect(readFileSync(copy.log, 'utf8')).toBe('a\nb\nc\n')
  add('d\n', '4.d')
  expect(await fenceLog(copy, { claim: '3.c', fetched }, ports)).toBeNull()
})

/** Returns what a log is fetched with, of a store that has no objects. */
function around() {
  const get = () => Promise.reject(new Error('no object is asked for'))
  const objects = { get, put: get, remove: get }
  return { files: nodeFiles, objects, recent: createRecentContents(), store: 'store', name: 'nats://test' }
}
