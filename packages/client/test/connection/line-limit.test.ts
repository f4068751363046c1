import { limits } from '@parley/protocol'
import { defaultMaxLineBytes } from '@parley/rpc'
import { expect, test } from 'vitest'

test('connections take exactly the lines that the protocol allows', () => {
  expect(defaultMaxLineBytes).toBe(limits.wireLine)
})
