import { expect, test } from 'vitest'
import { serversAfter } from '../../src/team/server-order.ts'

const [a, b, c, d] = ['wss://a:7100', 'wss://b:7100', 'wss://c:7100', 'wss://d:7100'] as const
const ids = Array.from({ length: 600 }, (_, nth) => `00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`)

test('conversations of a lost server spread over the others, which all are tried before it', () => {
  const orders = ids.map((conversationId) => serversAfter([a, b, c, d], { address: b, conversationId }))
  for (const order of orders) {
    expect(order.toSorted()).toEqual([a, b, c, d])
    expect(order.at(-1)).toBe(b)
  }
  for (const server of [a, c, d])
    expect(Math.abs(orders.filter(([first]) => first === server).length - 200)).toBeLessThan(50)
})

test('windows of one conversation meet, in whichever order each was told the servers', () => {
  for (const conversationId of ids) {
    const [first] = serversAfter([a, b, c], { address: a, conversationId })
    expect(serversAfter([c, b, a], { address: a, conversationId })[0]).toBe(first)
    expect(serversAfter([b, c], { address: a, conversationId })[0]).toBe(first)
  }
})

test('a client that follows no conversation takes the one behind the lost one in its list', () => {
  const after = (address: string) => serversAfter([a, b, c], { address, conversationId: undefined })
  expect([after(a), after(b), after(c), after(d)]).toEqual([
    [b, c, a],
    [c, a, b],
    [a, b, c],
    [a, b, c],
  ])
})
