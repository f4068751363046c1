import { expect, test } from 'vitest'
import { originOfWebsocket, pageAt } from '../src/link/page-secret.ts'

test('the page of a conversation at another server has its host and port, and TLS where its websocket has', () => {
  expect(pageAt('wss://b.example:7100', '0a1b')).toBe('https://b.example:7100/#conversation=0a1b')
  expect(pageAt('ws://127.0.0.1:7100', '0a1b')).toBe('http://127.0.0.1:7100/#conversation=0a1b')
  expect(pageAt(null, '0a1b')).toBeNull()
})

test.each(['javascript:alert(1)//', 'data:text/html,x', 'https://b.example', 'b.example:7100', 'wss:', ' ws://b', ''])(
  'the text %j that a server says of itself is no address, and becomes no link',
  (said) => expect([originOfWebsocket(said), pageAt(said, '0a1b')]).toEqual([null, null]),
)
