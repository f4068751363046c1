import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import { layoutComposer } from '../../../src/ui/composer/layout.ts'
import { run, written } from './write.ts'

function laid(marked: string, columns: number, maxRows = 10) {
  const { rows, ...others } = layoutComposer(written(marked), { columns }, maxRows)
  return { rows: rows.map(lineText), ...others }
}

describe('layoutComposer', () => {
  test('empty text is one empty row with the caret', () => {
    expect(laid('|', 10)).toEqual({ rows: [''], caret: { row: 0, column: 0 }, above: 0, below: 0 })
  })

  test('words are wrapped, the caret of a soft break is on the next row', () => {
    expect(laid('hello |world', 8)).toMatchObject({ rows: ['hello ', 'world'], caret: { row: 1, column: 0 } })
  })

  test('the caret after a full row has a row of its own', () => {
    expect(laid('12345|', 5)).toMatchObject({ rows: ['12345', ''], caret: { row: 1, column: 0 } })
  })

  test('the caret counts cells, not letters', () => {
    expect(laid('漢字👍|x', 20).caret).toEqual({ row: 0, column: 6 })
  })

  test('a tab is shown as four blanks', () => {
    expect(laid('\ta|', 20)).toMatchObject({ rows: ['    a'], caret: { row: 0, column: 5 } })
  })

  test('tall text shows the rows around the caret', () => {
    expect(laid('1\n2\n3\n4\n5|\n6\n7\n8', 10, 4)).toEqual({
      rows: ['3', '4', '5', '6'],
      caret: { row: 2, column: 1 },
      above: 2,
      below: 2,
    })
    expect(laid('1\n2\n3\n4\n5|', 10, 4)).toMatchObject({
      rows: ['2', '3', '4', '5'],
      caret: { row: 3 },
      above: 1,
      below: 0,
    })
  })

  test('the mark of a folded paste has its tone', () => {
    const composer = run(written('a|b'), [{ kind: 'paste', text: 'x\n'.repeat(50) }])
    expect(layoutComposer(composer, { columns: 40 }, 5).rows).toEqual([
      [{ text: 'a' }, { text: '[pasted 50 lines #1]', tone: 'accent' }, { text: 'b' }],
    ])
  })
})
