import { Writable } from 'node:stream'
import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineWriter } from '../../src/transport/line-writer.ts'
import { turns, until } from '../support/remote-end.ts'

/** Creates an output that completes each write only when `take` is called. */
function createDevice() {
  const writes: string[] = []
  const taken: ((error?: Error) => void)[] = []
  const output = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      writes.push(chunk.toString())
      taken.push(callback)
    },
  })
  output.on('error', () => {})
  return { output, writes, take: (error?: Error) => taken.shift()?.(error) }
}

describe('line writer', () => {
  it('writes the lines of one tick at once', async () => {
    const { output, writes } = createDevice()
    const outbox = new LineWriter(output)
    for (const line of ['1', '2', '3']) outbox.push(line)
    await Promise.resolve()
    outbox.push('4')
    await turns(1)
    expect(writes).toEqual(['1\n2\n3\n4\n'])
  })

  it('joins what is sent during a write into the next one', async () => {
    const device = createDevice()
    const outbox = new LineWriter(device.output)
    outbox.push('1')
    await turns(1)
    for (const line of ['2', '3']) {
      outbox.push(line)
      await turns(1)
    }
    expect(device.writes).toEqual(['1\n'])
    device.take()
    await until(() => device.writes.length === 2)
    expect(device.writes).toEqual(['1\n', '2\n3\n'])
  })

  it('writes pieces of at most 64 KiB, except for a longer line', async () => {
    const device = createDevice()
    const outbox = new LineWriter(device.output)
    const lines = [...Array.from({ length: 3000 }, (_, index) => `${index}`.padEnd(100)), 'x'.repeat(200_000), 'last']
    for (const line of lines) outbox.push(line)
    while (outbox.bufferedBytes > 0) {
      await turns(1)
      device.take()
    }
    expect(device.writes.join('')).toBe(lines.map((line) => `${line}\n`).join(''))
    const long = device.writes.filter((write) => write.length > 64 * 1024)
    expect(long).toEqual([`${'x'.repeat(200_000)}\n`])
    expect(device.writes.length).toBeLessThan(10)
  })

  it('counts exactly the bytes not yet taken, and keeps any order of lines', async () => {
    const anyLine = fc.string({ unit: codePoint }).map((text) => text.replaceAll('\n', ''))
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine), async (lines) => {
        const device = createDevice()
        const outbox = new LineWriter(device.output)
        for (const line of lines) outbox.push(line)
        const wire = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        expect(outbox.bufferedBytes).toBe(wire.length)
        while (outbox.bufferedBytes > 0) {
          await turns(1)
          device.take()
        }
        expect(device.writes.join('')).toBe(wire.toString())
      }),
    )
  })

  it('is drained at one mebibyte and flushed at zero bytes', async () => {
    const device = createDevice()
    const outbox = new LineWriter(device.output)
    for (let count = 0; count < 32; count += 1) outbox.push('x'.repeat(64 * 1024 - 1))
    const marks: number[] = []
    const done = Promise.all([
      outbox.drained().then(() => marks.push(outbox.bufferedBytes)),
      outbox.flushed().then(() => marks.push(outbox.bufferedBytes)),
    ])
    while (marks.length < 2) {
      await turns(1)
      device.take()
      await turns(1)
    }
    await done
    expect(marks).toEqual([1024 * 1024, 0])
  })

  it('resolves all waiters when the output fails', async () => {
    const device = createDevice()
    const outbox = new LineWriter(device.output)
    outbox.push('x'.repeat(2 * 1024 * 1024))
    await turns(1)
    const waiting = Promise.all([outbox.drained(), outbox.flushed()])
    device.take(new Error('EPIPE'))
    await waiting
    outbox.push('ignored')
    expect(outbox.bufferedBytes).toBe(0)
  })

  it('rejects a line that contains a line feed', () => {
    const outbox = new LineWriter(createDevice().output)
    expect(() => outbox.push('{}\n{}')).toThrow(TypeError)
  })
})
