import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetainedOutput } from '../../src/output/retained-output.ts'
import { openRingFile } from '../../src/output/ring.ts'

const limits = { memoryBytes: 100, fileBytes: 400, chunks: 50 }

function push(retained: RetainedOutput, seq: number, sizeBytes: number): string {
  const bytes = Buffer.alloc(sizeBytes, seq % 251)
  retained.push({ seq, stream: 'stdout' }, bytes)
  return bytes.toString('base64')
}

/** Numbers with holes, as the exit leaves one. */
const pushes = fc.array(fc.record({ sizeBytes: fc.integer({ min: 1, max: 90 }), hole: fc.boolean() }), {
  maxLength: 200,
})

describe('retained output', () => {
  it('is a suffix without a gap from any number; the missing part is reported', () => {
    fc.assert(
      fc.property(pushes, fc.nat({ max: 300 }), fc.nat({ max: 500 }), (sizes, afterSeq, maxBytes) => {
        const retained = new RetainedOutput(limits)
        const all: { seq: number; chunk: string; sizeBytes: number }[] = []
        let seq = 0
        for (const { sizeBytes, hole } of sizes) {
          seq += hole ? 2 : 1
          all.push({ seq, chunk: push(retained, seq, sizeBytes), sizeBytes })
        }
        const { chunks, missingThrough } = retained.read(afterSeq, maxBytes)
        const wanted = all.filter((entry) => entry.seq > Math.max(afterSeq, missingThrough ?? 0))
        expect(chunks.map(({ seq: at, chunk }) => [at, chunk])).toEqual(
          wanted.slice(0, chunks.length).map(({ seq: at, chunk }) => [at, chunk]),
        )
        expect(chunks.length > 0 || wanted.length === 0).toBe(true)
        // Never more is lost than the limits ask for: a chunk that would straddle the end leaves a hole before it.
        const kept = retained.read(0, Number.POSITIVE_INFINITY).chunks
        const keptBytes = all.slice(all.length - kept.length).reduce((sum, entry) => sum + entry.sizeBytes, 0)
        const enough = kept.length === all.length || kept.length === limits.chunks
        expect(enough || keptBytes >= limits.fileBytes - 2 * 90).toBe(true)
        expect(retained.memoryBytes).toBeLessThanOrEqual(Math.max(limits.memoryBytes, 90))
        retained.close()
      }),
    )
  })

  it('is limited to memory when no file can be created, and the rest is reported missing', () => {
    const retained = new RetainedOutput(limits, () => {
      throw new Error('no room')
    })
    for (let seq = 1; seq <= 10; seq++) push(retained, seq, 40)
    expect(retained.capacityBytes).toBe(limits.memoryBytes)
    const { chunks, missingThrough } = retained.read(0, 1000)
    expect([chunks.map(({ seq }) => seq), missingThrough]).toEqual([[9, 10], 8])
  })

  it('is limited to memory once the disk is full', () => {
    let room = 200
    const retained = new RetainedOutput(limits, (capacityBytes) => {
      const file = openRingFile(capacityBytes)
      return {
        ...file,
        write(chunk) {
          room -= chunk.length
          if (room < 0) throw new Error('no room')
          return file.write(chunk)
        },
      }
    })
    for (let seq = 1; seq <= 5; seq++) push(retained, seq, 40)
    expect(retained.read(0, 1000).missingThrough).toBeNull()
    push(retained, 6, 40)
    const { chunks, missingThrough } = retained.read(0, 1000)
    expect([chunks.map(({ seq }) => seq), missingThrough]).toEqual([[5, 6], 4])
  })
})
