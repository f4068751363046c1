import { describe, expect, test } from 'vitest'
import { firstDay, usageLines } from '../../src/commands/usage.ts'

const counts = { inputTokens: 12_000, cachedInputTokens: 8_000, outputTokens: 300, reasoningTokens: 20 }
const today = new Date(2026, 10, 3, 15, 0)

describe('parley usage', () => {
  test('is a table with the sum below it', () => {
    const rows = [
      { key: '/home/ada/shop', conversations: 2, calls: 9, counts: { ...counts, costUsd: 1.5 } },
      { key: '/srv/x', conversations: 1, calls: 1, counts },
    ]
    expect(usageLines(rows, { by: 'folder', home: '/home/ada' })).toEqual([
      'FOLDER  CALLS   INPUT  CACHED  OUTPUT  REASONING     COST',
      '~/shop      9  12,000   8,000     300         20    $1.50',
      '/srv/x      1  12,000   8,000     300         20        ?',
      'all        10  24,000  16,000     600         40  $1.50+?',
    ])
  })

  test('has no sum below a single row, and is nothing without rows', () => {
    const row = { key: '2026-11-03', conversations: 1, calls: 1, counts }
    expect(usageLines([row], { by: 'day', home: '/' })).toHaveLength(2)
    expect(usageLines([], { by: 'day', home: '/' })).toEqual([])
  })

  test.each([
    ['2026-10-31', '2026-10-31'],
    ['7d', '2026-10-27'],
    ['0d', '2026-11-03'],
  ])('takes %s for %s', (since, day) => {
    expect(firstDay(since, today)).toBe(day)
  })

  test.each(['yesterday', '2026-13-01', '2026-1-1', '7', ''])('refuses %j as a day', (since) => {
    expect(() => firstDay(since, today)).toThrow(/--since is a day like/)
  })
})
