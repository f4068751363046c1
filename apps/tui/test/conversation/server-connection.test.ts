import { ClientError, type Parley } from '@parley/client'
import { expect, test } from 'vitest'
import { lossOf, ServerConnection } from '../../src/conversation/server-connection.ts'

/** A connection that ends when the test says so. */
function connection() {
  const { promise: closed, resolve: end } = Promise.withResolvers<ClientError | null>()
  const parley: Partial<Parley> = { closed, close: async () => undefined }
  return { parley: parley as Parley, end } // narrowed: nothing else is asked of it
}

function window() {
  const told: unknown[] = []
  const note = (what: string) => (value: unknown) => void told.push([what, value])
  const server = new ServerConnection({
    onConnected: () => undefined,
    onLost: note('lost'),
    onNotice: note('notice'),
  })
  return { server, told }
}

test('a loss is told once, though what waits on the connection learns of it later', async () => {
  const { server, told } = window()
  const { parley, end } = connection()
  server.moveTo(parley)
  const rejected = new ClientError('accessEnded', 'This token is not accepted.')
  end(rejected)
  await parley.closed
  await Promise.resolve()
  const loss = { reason: 'rejected', text: 'This token is not accepted.' }
  expect(told).toEqual([['lost', loss]])
  server.loseFrom(parley, lossOf(rejected))
  expect(told).toEqual([['lost', loss]])
})

test('a loss of a connection before takes nothing from the one that was made since', () => {
  const { server, told } = window()
  const [before, now] = [connection(), connection()]
  server.moveTo(before.parley)
  server.moveTo(now.parley)
  server.loseFrom(before.parley, {})
  expect(told).toEqual([])
  expect(server.parley).toBe(now.parley)
})
