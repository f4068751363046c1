import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askAgain } from '../../src/store/connection/ask-again.ts'
import { entriesOf } from '../../src/store/connection/bucket-entries.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = () => new Promise<never>(() => undefined)

test('a question that is not answered is asked again, and the first answer counts', async () => {
  const ask = vi.fn<() => Promise<string>>(never)
  const answer = askAgain(ask)
  await vi.advanceTimersByTimeAsync(499)
  expect(ask).toHaveBeenCalledTimes(1)
  ask.mockResolvedValueOnce('the leader is another one')
  await vi.advanceTimersByTimeAsync(1)
  expect(await answer).toBe('the leader is another one')
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('of many questions that wait, a store gets only some again, and the next as soon as one of these is answered', async () => {
  const asked = vi.fn<(nth: number) => void>()
  const answers: PromiseWithResolvers<string>[] = []
  const questions = Array.from({ length: 100 }, (_, nth) =>
    askAgain(() => {
      asked(nth)
      const answer = Promise.withResolvers<string>()
      answers.push(answer)
      return answer.promise
    }),
  )
  const again = () => asked.mock.calls.slice(100).map(([nth]) => nth)
  await vi.advanceTimersByTimeAsync(500)
  expect(again()).toEqual(Array.from({ length: 32 }, (_, nth) => nth))
  answers[100]?.resolve('the leader is another one')
  await vi.advanceTimersByTimeAsync(0)
  expect(again()).toHaveLength(33)
  await vi.advanceTimersByTimeAsync(500)
  // Those that have waited longest come first.
  expect(again()).toEqual(Array.from({ length: 65 }, (_, nth) => nth))
  for (const answer of answers) answer.resolve('late')
  await Promise.all(questions)
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toHaveBeenCalledTimes(165)
  expect(vi.getTimerCount()).toBe(0)
})

test('a question that fails is not asked again', async () => {
  const failed = askAgain(() => Promise.reject(new Error('no such stream')))
  await expect(failed).rejects.toThrow('no such stream')
  expect(vi.getTimerCount()).toBe(0)
})

type Bucket = Parameters<typeof entriesOf>[0]
type Entries = Awaited<ReturnType<Bucket['history']>>

/** Returns a pass that gives the entries of some keys, by their revisions from 1, and then is silent, or ends. */
function passOf(keys: readonly string[], { ends }: { readonly ends: boolean }) {
  const stop = vi.fn<() => void>()
  async function* run() {
    for (const [at, key] of keys.entries()) yield { key, revision: at + 1 }
    if (!ends) await never()
  }
  // narrowed: what a pass is asked for
  return { entries: { [Symbol.asyncIterator]: run, stop } as unknown as Entries, stop }
}

/** Reads a bucket whose newest entry has one of the revisions `newest` after the other; no entry for 0. */
async function entriesIn(history: Bucket['history'], ...newest: readonly number[]): Promise<string[]> {
  const left = [...newest]
  const status = async () => {
    const last = left.shift() ?? 100
    // narrowed: what a pass looks at
    return { streamInfo: { state: { messages: last, last_seq: last } } } as unknown as Awaited<
      ReturnType<Bucket['status']>
    >
  }
  return [...(await entriesOf({ history, status }))].map(([key, { revision }]) => `${key}${revision}`)
}

test('a pass over a bucket ends with the entry that was the newest, whatever the server says of what is left', async () => {
  const { entries, stop } = passOf(['a', 'b', 'c'], { ends: false })
  expect(await entriesIn(() => Promise.resolve(entries), 3, 3)).toEqual(['a1', 'b2', 'c3'])
  expect(stop).toHaveBeenCalled()
  expect(await entriesIn(never, 0)).toEqual([])
})

test('a pass over a bucket goes on for what was written anew before it was reached, and has the newest of each key', async () => {
  const { entries } = passOf(['a', 'b', 'c', 'a'], { ends: false })
  expect(await entriesIn(() => Promise.resolve(entries), 2, 4, 4)).toEqual(['a4', 'b2', 'c3'])
})

test('a pass over a bucket that is written without a pause ends all the same', async () => {
  const { entries } = passOf(
    Array.from({ length: 1000 }, () => 'a'),
    { ends: false },
  )
  const newest = Array.from({ length: 100 }, (_, at) => 10 * (at + 1))
  expect(await entriesIn(() => Promise.resolve(entries), ...newest)).toEqual(['a200'])
})

test('a pass over a bucket ends those that were begun beside it', async () => {
  const [late, used] = [passOf([], { ends: false }), passOf(['a', 'b', 'c'], { ends: true })]
  const arrives = Promise.withResolvers<Entries>()
  const history = vi.fn<Bucket['history']>(() => arrives.promise)
  const found = entriesIn(history)
  await vi.advanceTimersByTimeAsync(0)
  history.mockResolvedValueOnce(used.entries)
  await vi.advanceTimersByTimeAsync(500)
  expect(await found).toEqual(['a1', 'b2', 'c3'])
  arrives.resolve(late.entries)
  await vi.advanceTimersByTimeAsync(0)
  expect(late.stop).toHaveBeenCalled()
})

test('a pass that begins after another one has failed is ended', async () => {
  const late = passOf([], { ends: false })
  const [first, second] = [Promise.withResolvers<Entries>(), Promise.withResolvers<Entries>()]
  const history = vi.fn<Bucket['history']>(() => second.promise).mockReturnValueOnce(first.promise)
  const failed = expect(entriesIn(history)).rejects.toThrow('no answer')
  await vi.advanceTimersByTimeAsync(500)
  first.reject(new Error('no answer'))
  await failed
  second.resolve(late.entries)
  await vi.advanceTimersByTimeAsync(0)
  expect(late.stop).toHaveBeenCalled()
})

test('a pass whose server has died is given up, as a request that is not answered', async () => {
  const { entries, stop } = passOf(['a'], { ends: false })
  const failed = expect(entriesIn(() => Promise.resolve(entries))).rejects.toMatchObject({
    name: 'TimeoutError',
  })
  await vi.advanceTimersByTimeAsync(3000)
  await failed
  expect(stop).toHaveBeenCalled()
})
