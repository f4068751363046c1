import { expect, it } from 'vitest'
import { pageOrigins } from '../src/page-origins.ts'

const at = (host: string, port: number, isSecure?: true) =>
  ({ kind: 'websocket', host, port, ...(isSecure === undefined ? {} : { isSecure }) }) as const

it('the page is known by the address that is told, then by the one that is listened at', () => {
  expect(pageOrigins(at('a.example', 7100, true), null)).toEqual(['https://a.example:7100'])
  expect(pageOrigins(at('0.0.0.0', 7100, true), 'wss://a.example:443')).toEqual(['https://a.example'])
  expect(pageOrigins(at('127.0.0.1', 7100), 'wss://team.example')).toEqual([
    'https://team.example',
    'http://127.0.0.1:7100',
  ])
  expect(pageOrigins(at('::1', 7100), null)).toEqual(['http://[::1]:7100'])
  expect(pageOrigins(at('127.0.0.1', 0), null)).toEqual([])
})

it('the page asks for no token where others could read it, or where nobody knows its address', () => {
  expect(() => pageOrigins(at('10.0.0.5', 7100), null)).toThrow(/wss:/)
  expect(() => pageOrigins(at('10.0.0.5', 7100), 'wss://team.example')).toThrow(/wss:/)
  expect(() => pageOrigins(at('127.0.0.1', 7100), 'ws://team.example')).toThrow(/wss:/)
  expect(() => pageOrigins(at('0.0.0.0', 7100, true), null)).toThrow(/--advertise/)
})
