import { expect, it } from 'vitest'
import { sendInOrder } from '../src/port-handlers.ts'

const patient = { waitMs: 60_000, signal: new AbortController().signal }

/** A link that takes what was sent when it is told to. */
function stalledLink() {
  const waiting: (() => void)[] = []
  return {
    waiting,
    drained: () => new Promise<void>((resolve) => waiting.push(resolve)),
  }
}

const oneRound = () => new Promise<void>((resolve) => setImmediate(resolve))

it('answers have their turns one by one, in the order in which they asked, as the link takes them', async () => {
  const link = stalledLink()
  const turn = sendInOrder(link)
  const had: string[] = []
  for (const name of ['first', 'second', 'third']) void turn(patient).then((isMine) => had.push(`${name} ${isMine}`))
  await oneRound()
  expect([had, link.waiting.length]).toEqual([[], 1])
  link.waiting[0]?.()
  await expect.poll(() => link.waiting.length).toBe(2)
  expect(had).toEqual(['first true'])
  link.waiting[1]?.()
  await expect.poll(() => link.waiting.length).toBe(3)
  expect(had).toEqual(['first true', 'second true'])
})

it('an answer that has waited for long, or whose client is gone, gives its turn to the next', async () => {
  const link = stalledLink()
  const turn = sendInOrder(link)
  const gone = new AbortController()
  const [late, left, next] = [turn({ ...patient, waitMs: 1 }), turn({ ...patient, signal: gone.signal }), turn(patient)]
  gone.abort()
  expect([await late, await left]).toEqual([false, false])
  await oneRound()
  expect(link.waiting.length).toBe(1)
  link.waiting[0]?.()
  await expect.poll(() => link.waiting.length).toBe(2)
  link.waiting[1]?.()
  expect(await next).toBe(true)
})
