import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkCount, chunkRange, cutChunks, withChunks } from '../../../src/ui/pager/file-chunks.ts'

/** Lines of all lengths, some longer than a chunk, with characters of several bytes. */
const file = fc
  .array(fc.record({ letter: fc.constantFrom('a', 'ä', '€', '😀'), length: fc.integer({ min: 0, max: 150_000 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((lines) => Buffer.from(lines.map(({ letter, length }) => letter.repeat(length)).join('\n')))

test('the chunks of a file are all of it, read one by one or many at once, and cut no character', () => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 6 }), (bytes, count) => {
      const texts: string[] = []
      for (let first = 0; first < chunkCount(bytes.length); first += count) {
        const run = { first, count }
        const { offset, limit } = chunkRange(run)
        for (const part of cutChunks(bytes.subarray(offset, offset + limit), run))
          texts.push(Buffer.from(part).toString())
      }
      expect(texts).toHaveLength(chunkCount(bytes.length))
      expect(texts.join('') === bytes.toString()).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('lines are cut only where they are longer than what is read beyond a chunk', () => {
  const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, n) => `line ${n}\n`).join(''))
  const run = { first: 0, count: chunkCount(bytes.length) }
  for (const part of cutChunks(bytes, run)) expect(Buffer.from(part).toString()).toMatch(/^line \d+\n[\s\S]*\n$/)
})

test('a file keeps the chunks near the one read last', () => {
  let read = withChunks({ totalBytes: 10 ** 8, chunks: new Map() }, 0, ['first'])
  for (let index = 1; index < 200; index++) read = withChunks(read, index, [`${index}`])
  expect([...read.chunks.keys()].toSorted((one, other) => one - other)[0]).toBeGreaterThan(100)
  expect(read.chunks.get(199)?.text).toBe('199')
})
