import { expect, it } from 'vitest'
import { isInTheClear, serverAddress } from '../../src/transport/server-address.ts'

it.each([
  ['wss://a:7100', 'wss://a:7100'],
  [' ws://127.0.0.1:7100/ ', 'ws://127.0.0.1:7100'],
  ['wss://proxy.example/parley', 'wss://proxy.example/parley'],
  ['WSS://a', 'WSS://a'],
  ['https://a', null],
  ['a:7100', null],
  ['wss://', null],
  ['wss://ada:secret@a', null],
  ['wss://a/?token=1', null],
  ['wss://a/#x', null],
  ['wss://a:port', null],
  ['wss://a wss://b', null],
])('%j is the address %j', (text, address) => expect(serverAddress(text)).toBe(address))

it.each([
  ['ws://a:7100', true],
  ['WS://a:7100', true],
  ['ws://127.0.0.1.example:7100', true],
  ['ws://[::2]:7100', true],
  ['wss://a:7100', false],
  ['ws://127.0.0.1:7100', false],
  ['ws://LOCALHOST:7100', false],
  ['ws://[::1]:7100', false],
])('%s is read on the way: %s', (address, inTheClear) => expect(isInTheClear(address)).toBe(inTheClear))
