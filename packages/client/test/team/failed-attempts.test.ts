import { ConnectError } from '@parley/rpc'
import { expect, it } from 'vitest'
import { failuresText } from '../../src/team/failed-attempts.ts'

const unknown = (address: string) =>
  new ConnectError('unreachable', `cannot connect to ${address}: the authority of its certificate is not known here.`)

it('a reason that several servers have in common is said once', () => {
  const failures = new Map<string, unknown>([
    ['wss://a:7100', unknown('wss://a:7100')],
    ['wss://b:7100', new Error('nothing listens there')],
    ['wss://c:7100', unknown('wss://c:7100')],
  ])
  expect(failuresText(failures)).toBe(
    'cannot connect to wss://a:7100: the authority of its certificate is not known here; the same at wss://c:7100; wss://b:7100: nothing listens there',
  )
})
