import { expect, it } from 'vitest'
import { createFaultRecorder, type PeerFault } from '../../src/peer/errors.ts'

it('counts every fault and reports a repeatable fault of the remote end once', async () => {
  const reported: PeerFault[] = []
  const ledger = createFaultRecorder((fault) => {
    reported.push(fault)
  })
  for (const id of [1, 2, 3]) ledger.record({ code: 'unknownReply', id })
  for (const cause of ['a', 'b']) ledger.record({ code: 'handlerFailed', method: 'm', cause })
  await Promise.resolve()
  expect(ledger.counts).toEqual({ unknownReply: 3, handlerFailed: 2, unreadable: 0, notUnderstood: 0 })
  expect(reported).toEqual([
    { code: 'unknownReply', id: 1 },
    { code: 'handlerFailed', method: 'm', cause: 'a' },
    { code: 'handlerFailed', method: 'm', cause: 'b' },
  ])
})
