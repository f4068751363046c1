import { expect, test } from 'vitest'
import { windowSize } from '../../src/terminal/window-size.ts'

test('a terminal that tells no size counts as 80x24, side by side', () => {
  expect(windowSize({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 })
  expect(windowSize({})).toEqual({ columns: 80, rows: 24 })
  expect(windowSize({ columns: 50, rows: 0 })).toEqual({ columns: 50, rows: 24 })
})
