import type { Line } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import { paintLine } from '../../src/view/screen.ts'
import { ansiTheme, themeOf } from '../../src/view/text/theme.ts'

const colourless = themeOf({ name: 'auto', background: null, depth: 'none' })

const line: Line = [
  { text: 'plain ' },
  { text: 'bad', tone: 'bad', bold: true },
  { text: 'soft', tone: 'muted' },
  { text: 'link', underline: true, href: 'https://x.org' },
]

describe('paintLine', () => {
  test('paints tones with the 16 colours and links as OSC 8', () => {
    expect(paintLine(line, ansiTheme)).toBe(
      'plain \x1b[1;31mbad\x1b[0m\x1b[2msoft\x1b[0m\x1b]8;;https://x.org\x1b\\\x1b[4mlink\x1b[0m\x1b]8;;\x1b\\',
    )
  })

  test('keeps bold and dim, but no colour, without colours', () => {
    expect(paintLine(line, colourless)).toBe(
      'plain \x1b[1mbad\x1b[0m\x1b[2msoft\x1b[0m\x1b]8;;https://x.org\x1b\\\x1b[4mlink\x1b[0m\x1b]8;;\x1b\\',
    )
  })

  test('writes no control character of a line to the terminal', () => {
    const hostile: Line = [
      { text: 'a\x1b[2J\rb\nc\x9bd', bold: true },
      { text: 'link', href: 'https://x\x1b]52;c;x\x07' },
    ]
    expect(paintLine(hostile, ansiTheme)).toBe('\x1b[1ma [2J b c d\x1b[0mlink')
  })
})
