import { expect, test } from 'vitest'
import { columnLines } from '../src/index.ts'

test('columns are as wide as their widest cell, and the last one is not filled up', () => {
  expect(
    columnLines([
      ['a', 'long cell', 'x'],
      ['abc', 'b', 'yy'],
    ]),
  ).toEqual(['a    long cell  x', 'abc  b          yy'])
})

test('columns of numbers are aligned to the right, also the last one', () => {
  expect(
    columnLines(
      [
        ['1', 'a', '10'],
        ['100', 'bb', '2'],
      ],
      [0, 2],
    ),
  ).toEqual(['  1  a   10', '100  bb   2'])
})

test('no rows are no lines', () => {
  expect(columnLines([])).toEqual([])
})
