import { expect, test } from 'vitest'
import { limitConcurrency } from '../../src/time/limit-concurrency.ts'

test('no more than so many run at once, and each in its turn, also after one that failed', async () => {
  const inTurn = limitConcurrency(2)
  const begun: number[] = []
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const work = ends.map(({ promise }, index) =>
    inTurn(() => {
      begun.push(index)
      return promise
    }),
  )
  const all = Promise.allSettled(work)
  expect(begun).toEqual([0, 1])
  ends[1]?.reject(new Error('failed'))
  await work[1]?.catch(() => undefined)
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  await all
  expect(begun).toEqual([0, 1, 2, 3])
})

test('work that waits for something holds nobody else up', async () => {
  const inTurn = limitConcurrency(1, 1)
  const away = Promise.withResolvers<void>()
  const first = inTurn(() => away.promise)
  expect(await inTurn(() => Promise.resolve('second'))).toBe('second')
  away.resolve()
  await first
  const begun: number[] = []
  const third = Promise.withResolvers<void>()
  const work = (index: number, end: Promise<void>) =>
    inTurn(() => {
      begun.push(index)
      return end
    })
  const more = [work(3, third.promise), work(4, Promise.resolve())]
  expect(begun).toEqual([3])
  third.resolve()
  await Promise.all(more)
})
