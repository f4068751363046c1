import { describe, expect, it } from 'vitest'
import { refuseClients } from '../src/refuse-clients.ts'

describe('refuseClients', () => {
  it('turns nobody away where the certificate cannot be read, and leaves it to the server to say so', async () => {
    const address = { kind: 'websocket', host: '127.0.0.1', port: 1, isSecure: true } as const
    expect(await refuseClients(address, { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' })).toBeNull()
  })
})
