import type { Loopback, SandboxLimits } from '@parley/host'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLoopbacks } from '../../src/limits/loopbacks.ts'

function fakeLoopbacks() {
  const made: (Loopback & { isClosed: boolean; port: number })[] = []
  const openLoopback = () => {
    const port = 8000 + made.length
    const loopback = {
      port,
      isClosed: false,
      entrance: () => [],
      connect: (wanted: number) => Promise.reject(new Error(`${wanted} is not ${port}`)),
      close() {
        loopback.isClosed = true
      },
    }
    made.push(loopback)
    return Promise.resolve(loopback)
  }
  return { made, openLoopback }
}

const anyLimits: fc.Arbitrary<SandboxLimits> = fc.record({
  mode: fc.constantFrom('read-only', 'workspace-write'),
  writableRoots: fc.subarray(['/work', '/other', '/more']),
  network: fc.boolean(),
  unixSockets: fc.boolean(),
  masked: fc.subarray(['/home/.ssh']),
  scratch: fc.constant(null),
})

it('commands share a loopback exactly where they have the same rights, and none with the network has one', async () => {
  await fc.assert(
    fc.asyncProperty(anyLimits, anyLimits, async (one, other) => {
      const loopbacks = createLoopbacks(fakeLoopbacks(), 'c')
      const [first, second] = [await loopbacks.sharedBy(one), await loopbacks.sharedBy(other)]
      expect([first === null, second === null]).toEqual([one.network, other.network])
      const rights = ({ mode, writableRoots, unixSockets }: SandboxLimits) =>
        JSON.stringify({ mode, writableRoots, unixSockets })
      if (first !== null && second !== null) expect(first === second).toBe(rights(one) === rights(other))
    }),
  )
})

it('loopbacks end with their conversation, which makes none after that', async () => {
  const { made, openLoopback } = fakeLoopbacks()
  const loopbacks = createLoopbacks({ openLoopback }, 'c')
  const limits = {
    mode: 'read-only',
    writableRoots: [],
    network: false,
    unixSockets: false,
    masked: [],
    scratch: null,
  } as const
  await Promise.all([loopbacks.sharedBy(limits), loopbacks.sharedBy({ ...limits, mode: 'workspace-write' })])
  await loopbacks.close()
  expect(made.map(({ isClosed }) => isClosed)).toEqual([true, true])
  expect(await loopbacks.sharedBy(limits)).toBeNull()
})

it('a port that nobody listens on, or that cannot be shared here, is said to be so', async () => {
  const limits = {
    mode: 'read-only',
    writableRoots: [],
    network: false,
    unixSockets: false,
    masked: [],
    scratch: null,
  } as const
  const reached = createLoopbacks(fakeLoopbacks(), 'c')
  await reached.sharedBy(limits)
  await expect(reached.connect(9)).rejects.toMatchObject({
    message: expect.stringContaining('Nothing listens on port 9'),
  })
  const apart = createLoopbacks({ openLoopback: () => Promise.resolve(null) }, 'c')
  await apart.sharedBy(limits)
  await expect(apart.connect(9)).rejects.toMatchObject({ message: expect.stringContaining('share no network here') })
})
