/** The scratch project of the demo: one of its three tests fails. Path → content. */
export const demoProject: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "parley-demo",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'src/cart.js': `export function total(items) {
  return items.reduce((sum, item) => sum + item.price * item.count, 0)
}

/** The amount after a discount of so many percent. */
export function withDiscount(amount, percent) {
  return amount - percent
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total, withDiscount } from '../src/cart.js'

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0)
})

test('items are counted', () => {
  assert.equal(total([{ price: 20, count: 3 }, { price: 5, count: 1 }]), 65)
})

test('a discount is a share of the amount', () => {
  assert.equal(withDiscount(200, 10), 180)
})
`,
}

export const demoTask = 'One of the tests fails. Find out why and fix it.'
