import { expect, test, vi } from 'vitest'
import { claimConversation, type OwnerPorts } from '../../src/store/servers/owners.ts'

test.each([
  ['at once where the store answers', null, [2, 0]],
  ['later where the store is away, so that its server need not wait for it', 60_000, [1, 1]],
])('a conversation is given up %s', async (_how, awayMs, counts) => {
  const publish = vi.fn<() => Promise<object>>().mockResolvedValue({ seq: 1, duplicate: false })
  const later = vi.fn<() => void>()
  // narrowed: what a claim asks for
  const ports = {
    owners: { get: async () => null },
    nodes: { own: 'one', lapses: 0, awayMs, later },
    streams: { publish },
  } as unknown as OwnerPorts
  const claim = await claimConversation(ports, 'a')
  await claim.release()
  expect([publish.mock.calls.length, later.mock.calls.length]).toEqual(counts)
})
