import { describe, expect, test } from 'vitest'
import { paintLine } from '../../src/view/paint-line.ts'
import type { Line } from '../../src/view/span.ts'

const line: Line = [
  { text: 'plain ' },
  { text: 'bad', tone: 'bad', bold: true },
  { text: 'soft', tone: 'muted' },
  { text: 'link', underline: true, href: 'https://x.org' },
]

describe('paintLine', () => {
  test('paints tones with the 16 colours and links as OSC 8', () => {
    expect(paintLine(line, true)).toBe(
      'plain \x1b[1;31mbad\x1b[0m\x1b[2msoft\x1b[0m\x1b]8;;https://x.org\x1b\\\x1b[4mlink\x1b[0m\x1b]8;;\x1b\\',
    )
  })

  test('keeps weight and dims, but no colour, when there are to be none', () => {
    expect(paintLine(line, false)).toBe(
      'plain \x1b[1mbad\x1b[0m\x1b[2msoft\x1b[0m\x1b]8;;https://x.org\x1b\\\x1b[4mlink\x1b[0m\x1b]8;;\x1b\\',
    )
  })
})
