import { expect, test } from 'vitest'
import { pageAt } from '../src/link/page-secret.ts'

test('the page of a conversation at another server has its host and port, and TLS where its websocket has', () => {
  expect(pageAt('wss://b.example:7100', '0a1b')).toBe('https://b.example:7100/#conversation=0a1b')
  expect(pageAt('ws://127.0.0.1:7100', '0a1b')).toBe('http://127.0.0.1:7100/#conversation=0a1b')
  expect(pageAt(null, '0a1b')).toBeNull()
})
