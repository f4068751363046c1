import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandEnd } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSideFiles } from '../../src/conversation/side-files.ts'
import { keepOutput } from '../../src/tools/contract/command-output.ts'

let folder = ''
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'parley-output-')), 'files')
  mkdirSync(folder)
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const ended = (bytes: Buffer, spooled = true): CommandEnd => {
  const path = join(folder, 'spool-i1')
  if (spooled) writeFileSync(path, bytes)
  const [head, tail] = [bytes.subarray(0, 131_072), bytes.subarray(131_072).subarray(-131_072)]
  return {
    head,
    tail,
    totalBytes: bytes.length,
    omittedBytes: bytes.length - head.length - tail.length,
    lineEnds: bytes.filter((byte) => byte === 10).length,
    exitCode: 0,
    signal: null,
    reason: 'exited',
    durationMs: 1,
    leftovers: 0,
    ...(spooled ? { spool: { path, bytes: bytes.length, complete: true } } : {}),
  }
}
const keep = (end: CommandEnd) => keepOutput(end, createSideFiles(nodeFiles, folder))
const bytesOf = (file = '') => readFileSync(join(folder, file.replace(':', '-')))

describe('the output of a command', () => {
  it('is in the item alone when it is short', async () => {
    expect(await keep(ended(Buffer.from('hello\n'), false))).toEqual({
      head: 'hello\n',
      tail: '',
      totalBytes: 6,
      omittedBytes: 0,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([9_000, 200_000, 600_000])('of %i bytes has both ends in the item and all of it in a file', async (size) => {
    const bytes = Buffer.from('0123456789\n'.repeat(size / 11 + 1).slice(0, size))
    const output = await keep(ended(bytes))
    expect(output).toMatchObject({
      head: bytes.toString().slice(0, 4096),
      tail: bytes.toString().slice(-4096),
      totalBytes: size,
      omittedBytes: size - 8192,
      totalLines: Math.ceil(size / 11),
    })
    expect(bytesOf(output.file)).toEqual(bytes)
  })

  it('without a spool is kept as far as memory has it', async () => {
    const bytes = Buffer.alloc(20_000, 'x')
    const output = await keep(ended(bytes, false))
    expect(bytesOf(output.file)).toEqual(bytes)
  })

  it('is marked when it is binary', async () => {
    expect(await keep(ended(Buffer.from([1, 0, 255])))).toMatchObject({ binary: true, totalBytes: 3 })
  })

  it.each(Array.from({ length: 12 }, (_, index) => index))(
    'is cut between characters, wherever they lie (%i)',
    async (shift) => {
      const text = 'a'.repeat(shift) + '€😀é'.repeat(3000)
      const { head, tail, totalBytes, omittedBytes } = await keep(ended(Buffer.from(text), false))
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(head) + omittedBytes + Buffer.byteLength(tail)).toBe(totalBytes)
      expect(Buffer.byteLength(head)).toBeGreaterThan(4090)
    },
  )
})
