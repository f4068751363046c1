import { RpcError } from '@parley/rpc'
import { isAlive, tempDirectory, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { connect } from '../../src/index.ts'
import { conversationId, cursorAt, fakeServer, stateAt } from '../fake-server.ts'

const opened = {
  'conversation/create': () => ({ conversationId }),
  'conversation/stream': () => ({ cursor: cursorAt(0), state: stateAt(0) }),
  'conversation/unstream': () => ({}),
}

test('a server behind an open transport is connected to, and has no process of its own', async () => {
  const { transport } = fakeServer()
  await using parley = await connect({ transport })
  expect([parley.server.clientId, parley.serverPid]).toEqual(['c-1', null])
})

test('a conversation that cannot be detached stays open, and can be closed', async () => {
  const { transport } = fakeServer({
    ...opened,
    'conversation/detach': () => {
      throw new RpcError(-32009, 'The disk is full.', { code: 'storageFailed' })
    },
  })
  await using parley = await connect({ transport })
  const conversation = await parley.create()
  await expect(conversation.detach()).rejects.toMatchObject({ data: { code: 'storageFailed' } })
  expect(conversation.isOpen).toBe(true)
  await conversation.close()
  expect(conversation.isOpen).toBe(false)
})

test('a server that closes its stdout and goes on counts as lost', { timeout: 60_000 }, async () => {
  await using folder = await tempDirectory()
  const script = `
    const { closeSync, writeSync } = require('node:fs')
    const result = { protocolVersion: 2, serverInfo: {}, clientId: 'c', home: '/', capabilities: [] }
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (id !== undefined) writeSync(1, JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
      if (method === 'initialized') closeSync(1)
    })
    setInterval(() => {}, 1000)`
  const env = { ...process.env, PARLEY_HOME: folder.path }
  const parley = await connect({ spawn: { command: [process.execPath, '-e', script], env } })
  expect(await parley.closed).toMatchObject({
    data: { code: 'connectionClosed' },
    message: expect.stringMatching(/^The server closed the connection and has not ended\./),
  })
  const pid = parley.serverPid ?? 0
  expect(isAlive(pid)).toBe(true)
  process.kill(pid, 'SIGKILL')
  await waitUntil(() => !isAlive(pid), { what: 'the end of the server' })
  await parley.close()
})
