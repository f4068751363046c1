import { fstatSync, openSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { closeFifo, createFifoPool, type Fifo } from '../../src/channels/fifo-pool.ts'

/** Makes false FIFOs on /dev/null and counts the batches. */
function fakeMaker() {
  const made: Fifo[] = []
  let batches = 0
  return {
    made,
    batches: () => batches,
    async make(count: number): Promise<Fifo[]> {
      batches += 1
      const batch = Array.from({ length: count }, () => ({ readFd: openNull(), writeFd: openNull() }))
      made.push(...batch)
      return batch
    },
  }
}

/** Checks the file too, because a descriptor's number can be reused at once. */
function isOpen({ readFd }: Fifo): boolean {
  try {
    return fstatSync(readFd).rdev === statSync('/dev/null').rdev
  } catch {
    return false
  }
}

function openNull(): number {
  return openSync('/dev/null', 'r')
}

describe('the FIFO pool', () => {
  it('makes real FIFOs, of which nothing is left in the file system', async () => {
    const pool = createFifoPool()
    const fifo = await pool.take()
    expect([fstatSync(fifo.readFd), fstatSync(fifo.writeFd)].map((stat) => [stat.isFIFO(), stat.nlink])).toEqual([
      [true, 0],
      [true, 0],
    ])
    closeFifo(fifo)
    pool.close()
  })

  it('gives a FIFO at once when filled, and never the same one twice', async () => {
    const maker = fakeMaker()
    const pool = createFifoPool(maker.make)
    await pool.fill()
    const taken = new Set<Fifo>()
    for (let count = 0; count < 8; count += 1) {
      const fifo = pool.take()
      if (!(fifo instanceof Promise)) taken.add(fifo)
    }
    expect(taken.size).toBe(8)
    taken.forEach(closeFifo)
    pool.close()
  })

  it('serves all waiting callers with no more batches than needed', async () => {
    const maker = fakeMaker()
    const pool = createFifoPool(maker.make)
    const taken = await Promise.all(Array.from({ length: 20 }, () => pool.take()))
    expect(new Set(taken).size).toBe(20)
    expect(maker.batches()).toBeLessThanOrEqual(4)
    taken.forEach(closeFifo)
    pool.close()
  })

  it('rejects when no FIFO can be made, and tries again next time', async () => {
    const maker = fakeMaker()
    let broken = true
    const pool = createFifoPool((count) => (broken ? Promise.reject(new Error('EMFILE')) : maker.make(count)))
    await expect(pool.take()).rejects.toThrow('EMFILE')
    broken = false
    closeFifo(await pool.take())
    pool.close()
  })

  it('closes a batch that arrives after the pool was closed', async () => {
    const maker = fakeMaker()
    const pool = createFifoPool(maker.make)
    const pending = pool.take()
    pool.close()
    await expect(pending).rejects.toThrow('closed')
    expect(maker.made.filter(isOpen)).toEqual([])
  })
})
