import { themeNames } from '@parley/presentation/commands/setting-choices'
import { describe, expect, test } from 'vitest'
import { paintLine } from '../../../src/view/screen.ts'
import { themeOf } from '../../../src/view/text/theme.ts'

const dark = [24, 24, 24] as const
const light = [255, 255, 255] as const

describe('a theme', () => {
  test('has backgrounds derived from that of the terminal, and a stronger one for changed words', () => {
    const { grounds, hasTints } = themeOf({ name: 'auto', background: dark, depth: 'true' })
    expect(hasTints).toBe(true)
    expect(grounds).toEqual({
      band: '48;2;47;47;47',
      added: '48;2;28;51;33',
      removed: '48;2;65;34;35',
      addedWord: '48;2;35;89;45',
      removedWord: '48;2;122;47;49',
    })
  })

  test.each([
    ['a terminal that has told no background', { name: 'auto', background: null, depth: 'true' }],
    ['one with 16 colours', { name: 'dark', background: dark, depth: 'sixteen' }],
    ['the palette alone', { name: 'ansi', background: light, depth: 'true' }],
    ['high contrast', { name: 'high-contrast', background: dark, depth: 'true' }],
  ] as const)('writes no colour beyond the palette for %s', (_what, choice) => {
    const { tones, grounds, hasTints } = themeOf(choice)
    expect(hasTints).toBe(false)
    expect([...Object.values(tones), ...Object.values(grounds)].join(' ')).not.toContain('48;2')
  })

  test('that is named for another background than the told one uses its own', () => {
    const named = themeOf({ name: 'light', background: dark, depth: 'true' })
    expect(named.grounds).toEqual(themeOf({ name: 'light', background: null, depth: 'true' }).grounds)
    expect(named.grounds.band).toMatch(/^48;2;240;240;240;/)
  })

  test.each(['light', 'dark'] as const)(
    '%s, where the terminal is not, gives the text on grounds its colour',
    (name) => {
      const other = name === 'light' ? dark : ([250, 250, 250] as const)
      const grounds = Object.values(themeOf({ name, background: other, depth: 'true' }).grounds)
      const ink = name === 'light' ? '38;2;36;36;36' : '38;2;222;222;222'
      expect(grounds.every((codes) => codes.endsWith(ink))).toBe(true)
      const own = name === 'light' ? ([250, 250, 250] as const) : dark
      expect(Object.values(themeOf({ name, background: own, depth: 'true' }).grounds).join()).not.toContain('38;2')
    },
  )

  test.each(themeNames)('named %s has no colour where NO_COLOR is set', (name) => {
    const theme = themeOf({ name, background: dark, depth: 'none' })
    const codes = [...Object.values(theme.tones), ...Object.values(theme.grounds)]
    expect(codes.every((code) => ['', '1', '2'].includes(code))).toBe(true)
  })

  test('without backgrounds colours the text of a changed line, code on it included', () => {
    const theme = themeOf({ name: 'ansi', background: null, depth: 'true' })
    const painted = paintLine([{ text: 'const', tone: 'code-keyword', ground: 'added' }], theme)
    expect(painted).toBe('\x1b[32mconst\x1b[0m')
  })
})
