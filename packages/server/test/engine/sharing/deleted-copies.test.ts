import { removeDeletedCopies } from '@parley/engine/src/sharing/deleted-copies.ts'
import { nodeFiles, STORE_SLOW, StorageError } from '@parley/journal'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a look at deletions that has failed is repeated soon, else every five minutes, until the end', async () => {
  const away = new StorageError({ code: STORE_SLOW, operation: 'list', path: 'nats://test' })
  const looks = { list: 0, finish: 0 }
  const store = {
    lists: {
      deletedCopies: async () => {
        looks.list += 1
        if (looks.list === 1) throw away
        return []
      },
    },
    finishDeletions: async () => {
      looks.finish += 1
      if (looks.finish === 1) throw away
    },
  }
  const watch = removeDeletedCopies(store, {
    files: nodeFiles,
    home: '/nowhere',
    open: { get: () => undefined, inOrder: (_id, run) => run() },
    program: 'test',
    forget: async () => undefined,
    report: (fault) => expect.fail(String(fault)),
  })
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    return [looks.list, looks.finish]
  }
  expect(await after(0)).toEqual([1, 0])
  expect(await after(10_000)).toEqual([2, 1])
  expect(await after(10_000)).toEqual([3, 2])
  expect(await after(299_000)).toEqual([3, 2])
  expect(await after(1000)).toEqual([4, 3])
  watch[Symbol.dispose]()
  expect(await after(600_000)).toEqual([4, 3])
})
