import { expect, test } from 'vitest'
import { type Lease, watchLease } from '../../src/store/servers/watch-lease.ts'

const silent = () => undefined

/** Lease that the test sets, with the number of looks at it. */
function scene(lease: Lease | null) {
  const state = { lease, looks: 0, gaps: 0 as number | null }
  const look = async () => {
    state.looks += 1
    return state.lease
  }
  return { state, watch: watchLease({ look, everyMs: 0, renewMs: 0, gaps: () => state.gaps }) }
}

const leaseOf = (revision: number): Lease => ({
  holder: { node: 'one', pid: 1, address: null, page: null, providers: [] },
  revision,
})

test('a few looks at the lease of a dead server answer all who ask', async () => {
  const { state, watch } = scene(null)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => watch.holder(silent)))
  expect(new Set(answers)).toEqual(new Set([null]))
  expect(state.looks).toBeLessThan(5)
})

test('a server that is known to be dead is looked at once for who asks later, and again with patience after a gap', async () => {
  const { state, watch } = scene(null)
  await watch.holder(silent)
  state.looks = 0
  await watch.holder(silent)
  expect(state.looks).toBe(1)
  // While the store could not be written, it could not renew its lease either.
  state.gaps = 1
  await watch.holder(silent)
  expect(state.looks).toBe(3)
})

test('a look that began before somebody asked answers them nothing', async () => {
  const slow = Promise.withResolvers<Lease | null>()
  const looks = [null, null, slow.promise, leaseOf(1), leaseOf(2)]
  const began = Promise.withResolvers<void>()
  const look = async () => {
    if (looks.length === 3) began.resolve()
    return (await looks.shift()) ?? null
  }
  const watch = watchLease({ look, everyMs: 0, renewMs: 0, gaps: () => 0 })
  await watch.holder(silent)
  const early = watch.holder(silent)
  await began.promise
  const late = watch.holder(silent)
  slow.resolve(null)
  expect(await early).toBeNull()
  expect(await late).toMatchObject({ node: 'one' })
})

test('a server lives once it has renewed its lease, and is told to be silent before', async () => {
  const { state, watch } = scene(leaseOf(1))
  const holder = await watch.holder(() => {
    state.lease = leaseOf(2)
  })
  expect(holder).toMatchObject({ node: 'one' })
})

test('a look that fails is told to all who ask, and the next one begins anew', async () => {
  let fails = true
  const look = async () => {
    if (fails) throw new Error('no store')
    return null
  }
  const watch = watchLease({ look, everyMs: 0, renewMs: 0, gaps: () => 0 })
  const answers = await Promise.allSettled([watch.holder(silent), watch.holder(silent)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await watch.holder(silent)).toBeNull()
})
