import { setImmediate as nextTurn } from 'node:timers/promises'
import { STORE_LOST, STORE_SLOW, StorageError } from '@parley/journal'
import { expect, it } from 'vitest'
import type { Listed } from '../../src/read/catalogue.ts'
import { createTeamCopies } from '../../src/read/team-copies.ts'

const owner = { pid: 7, socket: null }

/** Lists of a store, whose logs a test fetches one by one. */
function listsOf(ids: readonly string[]) {
  const changedAtMs = new Map(ids.map((id) => [id, 1]))
  const live = new Set<string>()
  const asked: string[] = []
  const ends: ((error?: Error) => void)[] = []
  const copies = createTeamCopies((id) => {
    asked.push(id)
    return new Promise<void>((resolve, reject) =>
      ends.push((error) => (error === undefined ? resolve() : reject(error))),
    )
  })
  const catalogue = {
    // narrowed: copies use no row
    all: async () => ids.map((id) => ({ id, modifiedAtMs: changedAtMs.get(id) ?? 0 })) as unknown as Listed[],
    live: ({ id }: Listed) => (live.has(id) ? owner : null),
  }
  return { changedAtMs, live, asked, ends, bring: (waitMs: number) => copies.bring(catalogue, waitMs) }
}

const lost = (code: string) => new StorageError({ code, operation: 'read', path: 'nats://test' })

it('brings copies in the order of the list, a few at once, goes on after its time, and says how many are left', async () => {
  const { asked, ends, bring } = listsOf(['a', 'b', 'c', 'd', 'e', 'f'])
  expect([await bring(0), asked]).toEqual([6, ['a', 'b', 'c', 'd']])
  const whole = bring(60_000)
  for (let end = 0; end < 6; end++) {
    await nextTurn()
    ends[end]?.()
  }
  expect([await whole, asked]).toEqual([0, ['a', 'b', 'c', 'd', 'e', 'f']])
})

it('asks again for what has changed, and each time for what a server writes at present', async () => {
  const { changedAtMs, live, asked, ends, bring } = listsOf(['a', 'b', 'c'])
  const brought = async () => {
    const done = bring(60_000)
    // The questions follow the list, which is there at once.
    await nextTurn()
    for (const end of ends.splice(0)) end()
    const left = await done
    return [left, asked.splice(0)]
  }
  live.add('c')
  expect(await brought()).toEqual([0, ['a', 'b', 'c']])
  changedAtMs.set('b', 2)
  expect(await brought()).toEqual([0, ['b', 'c']])
  live.delete('c')
  expect(await brought()).toEqual([0, ['c']])
  expect(await brought()).toEqual([0, []])
})

it('asks again after trouble of the store, says so until then, and does not ask for what it has lost', async () => {
  const { asked, ends, bring } = listsOf(['slow', 'lost'])
  const first = bring(60_000)
  await nextTurn()
  ends[0]?.(lost(STORE_SLOW))
  ends[1]?.(lost(STORE_LOST))
  expect(await first).toBe(1)
  const second = bring(60_000)
  await nextTurn()
  ends[2]?.()
  expect([await second, asked]).toEqual([0, ['slow', 'lost', 'slow']])
})
