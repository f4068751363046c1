import type { Line } from '@parley/presentation/text/span'
import { virtualScreen } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { createRowPainter } from '../../src/terminal/overlay.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'

const size = { columns: 20, rows: 4 }
const scene = { size, theme: ansiTheme }
const lines = (...texts: readonly string[]): readonly Line[] => texts.map((text) => [{ text }])

function painter() {
  const written: string[] = []
  return { written, ...createRowPainter((text) => written.push(text)) }
}

describe('the painter of whole screens', () => {
  test('writes only rows that have changed', () => {
    const { written, paint } = painter()
    paint(lines('one', 'two', 'three', 'four'), scene)
    paint(lines('one', 'TWO', 'three', 'four'), scene)
    paint(lines('one', 'TWO', 'three', 'four'), scene)
    expect(written).toHaveLength(2)
    expect(written[1]).toContain('\x1b[2;1H\x1b[KTWO')
    expect(written[1]).not.toMatch(/one|three|four/)
  })

  test('erases a row before it draws it, so that the last cell of a full row stays', () => {
    const { written, paint } = painter()
    paint(lines('x'.repeat(20)), scene)
    expect(written.join('')).toMatch(/\x1b\[1;1H\x1b\[Kx{20}(?!.*\x1b\[K)/)
  })

  test('writes all rows after another size, and after another program had the terminal', () => {
    const { written, paint, forget } = painter()
    paint(lines('one', 'two'), scene)
    paint(lines('one', 'two'), { ...scene, size: { columns: 30, rows: 4 } })
    forget()
    paint(lines('one', 'two'), { ...scene, size: { columns: 30, rows: 4 } })
    expect(written.every((text) => text.includes('one') && text.includes('two'))).toBe(true)
    expect(written).toHaveLength(3)
  })

  test('leaves nothing of longer rows, and one row for one that is wider than the screen', async () => {
    const { written, paint } = painter()
    paint(lines('a long first row', 'second', 'x'.repeat(30), 'last'), scene)
    paint(lines('short', 'second', 'x'.repeat(30), 'last'), scene)
    using screen = virtualScreen({ cols: 20, rows: 4 })
    await screen.feed(written.join(''))
    expect(screen.screen()).toEqual(['short', 'second', 'x'.repeat(20), 'last'])
  })
})
