import { expect, it } from 'vitest'
import { handshakeError } from '../../src/websocket/handshake-error.ts'

it.each(['EACCES', 'EPERM'])(
  'takes a connection that the network forbids (%s) for no rejection by a server',
  (code) => {
    const cause = Object.assign(new Error(`connect ${code}`), { code })
    expect(handshakeError('wss://a:7100', cause, '--ca-file')).toMatchObject({
      reason: 'unreachable',
      message: `cannot connect to wss://a:7100: a firewall or a route forbids it (${code})`,
    })
  },
)
