import { cellWidth } from '@parley/presentation/text/width'
import type { Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { PagerSize } from '../../src/ui/pager/pager.ts'
import { pagerScreen } from '../../src/view/pager-screen.ts'
import { pagerText, press, screenOf, type World, worldOf } from '../ui/pager/pager-scene.ts'
import { answer, ended, lookUp, patch, userMessage } from './scenes/conversation.ts'

const output = Array.from({ length: 40 }, (_, n) => `  ✓ test ${n} of the suite`).join('\n')
const items: readonly Item[] = [
  userMessage('the discount is wrong, fix it'),
  { id: 'r', type: 'reasoning', status: 'completed', title: '', text: '**Where is it**\n\nIn the cart, I think.' },
  answer('I look at the cart first.', 'm1'),
  lookUp('Read src/cart.js', 'l'),
  ended('npm test', output, 1),
  patch('completed'),
  answer('Fixed: it is a **share** of the amount now.\n\n```js\namount - (amount * percent) / 100\n```', 'm2'),
]

const keys: Readonly<Record<string, readonly string[]>> = {
  'the end of a conversation': [],
  'an opened command': ['up', 'up', 'enter'],
  'a search in reverse': ['/', 'cart', 'enter'],
  'a search that is typed': ['/', 'discount'],
  'everything opened': ['e', 'g'],
  'the keys of the view': ['?'],
}

describe.each([40, 80, 120])('at %i columns', (columns) => {
  const size: PagerSize = { columns, rows: 26 }

  test.each(Object.entries(keys))('%s', async (name, pressed) => {
    const world = press(worldOf(items, { size }), ...pressed)
    const file = `./fixtures/pager/${name.replaceAll(' ', '-')}.${columns}.txt`
    await expect(`${screenOf(world)}\n`).toMatchFileSnapshot(file)
    expect(rowsOf(world)).toHaveLength(size.rows)
    for (const row of rowsOf(world))
      expect(cellWidth(row.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns)
  })
})

function rowsOf({ pager, size }: World) {
  return pagerScreen(pager, size, { isAsked: false, isLost: false })
}

test.each([1, 2, 3])('a window of %i rows is filled', (rows) => {
  expect(rowsOf(worldOf(items, { size: { columns: 20, rows } }))).toHaveLength(rows)
})

test('the last row says that a question waits', () => {
  const { pager, size } = worldOf(items)
  expect(pagerText(pagerScreen(pager, size, { isAsked: true, isLost: false }))).toMatch(
    /A question waits: q shows it.*$/,
  )
})

test('every match on the screen is shown in reverse', () => {
  const world = press(worldOf(items, { size: { columns: 80, rows: 60 } }), '/', 'cart', 'enter')
  const found = rowsOf(world).flatMap((row) => row.filter(({ inverse }) => inverse).map(({ text }) => text))
  expect(found.length).toBeGreaterThan(2)
  expect(new Set(found)).toEqual(new Set(['cart']))
})

test('control characters of a query are shown, not written', () => {
  const world = press(worldOf([answer('x')]), '/', '\x1b]0;evil\x07')
  expect(screenOf(world)).toContain('\\x1b')
})

test('code takes its colours once they are loaded', () => {
  const world = worldOf([answer('```js\nlet a\n```')])
  const highlight = (lines: readonly string[]) => lines.map((text) => [{ text, tone: 'code-keyword' as const }])
  const tones = (shown: World) =>
    rowsOf(shown).flatMap((row) => row.filter(({ text }) => text === 'let a').map(({ tone }) => tone))
  expect(tones(world)).toEqual([undefined])
  expect(tones({ ...world, size: { ...world.size, highlight } })).toEqual(['code-keyword'])
})

test('an opened patch says what its diff leaves out', () => {
  const gone = { kind: 'delete', additions: 0, deletions: 300, before: 'a', after: null } as const
  const diff = '--- old.js\n+++ /dev/null\n… 300 lines: 9000 bytes, sha256:1\n'
  const [item, changes] = [patch('completed'), [{ path: 'old.js', ...gone, diff }]]
  if (item.type !== 'fileChange') throw new Error('the item is no patch')
  expect(screenOf(press(worldOf([{ ...item, changes }]), 'enter'))).toContain('… 300 lines: 9000 bytes')
})
