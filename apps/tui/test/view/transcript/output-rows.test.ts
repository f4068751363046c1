import { lineText } from '@parley/presentation/text/span'
import type { CallOutput } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { collapseOverwrites, outputRows, outputTail } from '../../../src/view/transcript/output-rows.ts'

test.each([
  ['no overwriting\nat all', 'no overwriting\nat all'],
  ['10%\r20%\r100%\ndone', '100%\ndone'],
  ['abcdef\rxy', 'xycdef'],
  ['abc\r\n', 'abc\n'],
  ['abcdef\rxy\x1b[K', 'xy'],
  ['abc\x1b[2K\rnew', 'new'],
  ['abc\x1b[1K', '   '],
  ['abc\b\bX', 'aXc'],
  ['\x1b[32mok\x1b[0m\rno', 'no'],
  ['abc\x1b[5GX', 'abc X'],
  ['abc\x1b[2DX', 'aXc'],
  ['a\x1b[2CX', 'a  X'],
  ['e\u0301x\ry', 'yx'],
])('%j is what a terminal shows: %j', (text, expected) => {
  expect(collapseOverwrites(text)).toBe(expected)
})

test('a far column does not make an endless line', () => {
  expect(collapseOverwrites('\x1b[999999999Cx').length).toBeLessThan(5_000)
})

describe('clipped output', () => {
  const rows = (output: CallOutput, columns = 40) =>
    outputRows(output, { columns }, { head: 2, tail: 2 }).map((line) => lineText(line))
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('')
  const whole = (head: string): CallOutput => ({ head, tail: '', totalBytes: head.length, omittedBytes: 0 })
  const both = { head: numbers(1, 99), tail: numbers(2_900, 3_000), totalBytes: 13_893, omittedBytes: 13_104 }

  test('has the count of the lines between its beginning and its end', () => {
    expect(rows(whole(numbers(1, 100)))).toEqual(['1', '2', '… 96 more lines', '99', '100'])
    expect(rows(whole(numbers(1, 5)))).toHaveLength(5)
  })

  test('counts over all that was printed, not over what was kept', () => {
    expect(rows({ ...both, totalLines: 3_000 })).toEqual(['1', '2', '… 2,996 more lines', '2999', '3000'])
  })

  test('says that there are more where nobody counted', () => {
    expect(rows(both)).toContain('… over 196 more lines')
  })

  test('counts lines and not the rows they take, but for a single line', () => {
    const long = 'x'.repeat(100)
    expect(rows(whole(`${long}\n1\n2\n3\n`), 10)[2]).toBe('… 1 more line')
    expect(rows(whole(long), 10)[2]).toBe('… 6 more rows')
    expect(rows({ head: long, tail: long, totalBytes: 5_200, omittedBytes: 5_000, totalLines: 1 }, 10)[2]).toBe(
      '… 4.9 KB not shown',
    )
  })
})

describe('the end of output', () => {
  const tail = (text: string, limit: number, fields: Partial<CallOutput> = {}) =>
    outputTail(
      { head: text, tail: '', totalBytes: text.length, omittedBytes: 0, ...fields },
      { columns: 20 },
      { limit, hint: ' (Ctrl+O)' },
    ).map((line) => lineText(line))

  test('is all of it where that fits', () => {
    expect(tail('one\n\nthree\n', 3)).toEqual(['one', '', 'three'])
    expect(tail('', 3)).toEqual([])
  })

  test('ends with the count of all lines and the key that shows them, without blank rows', () => {
    expect(tail('1\n2\n3\n\n5\n\n', 3)).toEqual(['3', '5', '… 5 lines (Ctrl+O)'])
  })

  test('counts what was printed and not what was kept', () => {
    const cut = { tail: 'last\n', omittedBytes: 9_000, totalBytes: 9_010 }
    expect(tail('1\n2\n3\n4\n', 3, { ...cut, totalLines: 700 })).toEqual(['last', '… 700 lines (Ctrl+O)'])
    expect(tail('1\n2\n3\n4\n', 3, cut).at(-1)).toBe('… 8.8 KB (Ctrl+O)')
  })
})
