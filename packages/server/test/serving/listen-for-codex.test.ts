import { statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { Transport } from '@parley/rpc'
import { connectWebSocket } from '@parley/rpc/websocket'
import { listenForCodex } from '@parley/serving/src/listen-for-codex.ts'
import { readOrMakeToken } from '@parley/serving/src/token-file.ts'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

/** Resolves to the HTTP status of an upgrade to a websocket. */
function upgradeStatus(where: object, headers: object = {}): Promise<number> {
  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, headers: { ...upgrade, ...headers } })
    asked.on('error', reject)
    asked.on('response', ({ statusCode = 0 }) => resolve(statusCode))
    asked.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    asked.end()
  })
}

const quiet = { report: () => undefined }

describe('a listener for clients of Codex', () => {
  it('admits by its token only, loopback included, and no page of a browser', async () => {
    await using folder = await tempDirectory()
    const tokenFile = join(folder.path, 'token')
    const accepted: Transport[] = []
    const address = { kind: 'websocket', host: '127.0.0.1', port: 0 } as const
    const { listener, words } = await listenForCodex(address, {
      ...quiet,
      tokenFile,
      accept: (transport) => accepted.push(transport),
    })
    const url = words.split(' ')[0] ?? ''
    const token = readOrMakeToken(tokenFile)
    await expect(connectWebSocket({ url })).rejects.toMatchObject({ reason: 'refused' })
    await expect(connectWebSocket({ url, token: 'another' })).rejects.toMatchObject({ reason: 'refused' })
    const { port } = new URL(url)
    const headers = { Authorization: `Bearer ${token}` }
    expect(await upgradeStatus({ host: '127.0.0.1', port }, { ...headers, Origin: 'http://127.0.0.1' })).toBe(403)
    expect(accepted).toEqual([])
    const client = await connectWebSocket({ url, token })
    expect(accepted).toHaveLength(1)
    await Promise.all([client, ...accepted].map((one) => one.close()))
    await listener.close()
  })

  it('admits without a token on a unix socket that only its user can open, at the path that Codex asks for', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'app.sock')
    const accepted: Transport[] = []
    const address = { kind: 'socket', path } as const
    const { listener } = await listenForCodex(address, {
      ...quiet,
      tokenFile: join(folder.path, 'token'),
      accept: (one) => accepted.push(one),
    })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await upgradeStatus({ socketPath: path, path: '/' })).toBe(404)
    expect(await upgradeStatus({ socketPath: path, path: '/rpc' }, { Origin: 'http://evil.example' })).toBe(403)
    expect(await upgradeStatus({ socketPath: path, path: '/rpc' })).toBe(101)
    expect(accepted).toHaveLength(1)
    await Promise.all(accepted.map((one) => one.close()))
    await listener.close()
  })
})
