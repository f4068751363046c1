import { readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { expectTranscript, recordTranscript, tempDirectory } from '../src/index.ts'
import { transcriptLines } from '../src/transcript.ts'

const uuid = (digit: string) => `01a1fc62-0000-7000-8000-${digit.repeat(12)}`
const root = fileURLToPath(new URL('../../..', import.meta.url))

const messages = (...all: unknown[]) => all.map((msg) => ({ dir: '<', msg }) as const)

describe('a recorder', () => {
  test('keeps JSON as values, other text as it is, and no empty lines', () => {
    const recorder = recordTranscript()
    recorder.line('>', '{"id":1}')
    recorder.line('!', 'not json')
    recorder.line('<', '')
    recorder.remark('exit', { code: 0 })
    expect(recorder.entries).toEqual([
      { dir: '>', msg: { id: 1 } },
      { dir: '!', raw: 'not json' },
      { dir: '#', note: 'exit', data: { code: 0 } },
    ])
  })
})

describe('what differs from run to run', () => {
  test('gets one stand-in per thing, numbered in order of first appearance', () => {
    const lines = transcriptLines(messages({ a: uuid('1'), b: 'i-0123456789ab' }, { [uuid('2')]: `of ${uuid('1')}` }))
    expect(lines).toEqual(['{"dir":"<","msg":{"a":"<id-1>","b":"<id-2>"}}', '{"dir":"<","msg":{"<id-3>":"of <id-1>"}}'])
  })

  test('is a hash, a time, a port, a place, a short id or the value of a key that is known to vary', () => {
    const [line] = transcriptLines(
      messages({
        id: uuid('3'),
        hash: `sha256:${'ab'.repeat(32)}`,
        at: 1_790_000_000_000,
        iso: '2026-11-21T20:49:06.123Z',
        url: 'ws://127.0.0.1:40123/x',
        path: '/tmp/a/b/file',
        words: 'resume 33333333',
        durationMs: 12,
        crc: 'deadbeef',
        took: '12 ms',
      }),
      { places: { $A: '/tmp/a', $B: '/tmp/a/b' }, texts: [[/\d+ ms/g, '<n> ms']] },
    )
    expect(JSON.parse(line ?? '')).toEqual({
      dir: '<',
      msg: {
        id: '<id-1>',
        hash: 'sha256:<hash-1>',
        at: '<time>',
        iso: '<time>',
        url: 'ws://127.0.0.1:<port>/x',
        path: '$B/file',
        words: 'resume <id-1-short>',
        durationMs: '<durationMs>',
        crc: '<crc>',
        took: '<n> ms',
      },
    })
  })

  test('is nothing else: small numbers, words, null and a protocol date stay', () => {
    const plain = { seq: 7, text: 'hello', crc: null, version: '2025-06-18', exitCode: 0 }
    expect(transcriptLines(messages(plain))).toEqual([JSON.stringify({ dir: '<', msg: plain })])
  })
})

describe('a recorded session', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test('is written when the update variable is set, then compared, and a difference names its line', async () => {
    await using folder = await tempDirectory()
    const path = relative(root, join(folder.path, 'sub', 'session.jsonl'))
    vi.stubEnv('PARLEY_UPDATE_TRANSCRIPTS', '1')
    expectTranscript(path, messages({ id: uuid('1') }, { ok: true }))
    expect(readFileSync(join(root, path), 'utf8')).toBe(
      '{"dir":"<","msg":{"id":"<id-1>"}}\n{"dir":"<","msg":{"ok":true}}\n',
    )
    vi.stubEnv('PARLEY_UPDATE_TRANSCRIPTS', '0')
    expectTranscript(path, messages({ id: uuid('2') }, { ok: true }))
    expect(() => expectTranscript(path, messages({ id: uuid('2') }, { ok: false }))).toThrow(/\(line 2\)/)
    rmSync(join(root, path))
    expect(() => expectTranscript(path, messages({ ok: true }))).toThrow(/\(line 1\)/)
  })
})
