import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { withSetting } from '../src/set-value.ts'

const theme = { table: 'tui', key: 'theme', value: 'dark' }
const set = (text: string) => withSetting(text, theme, 'config.toml')

describe('a setting that is written into a file', () => {
  it.each([
    ['an empty one', '', '[tui]\ntheme = "dark"\n'],
    ['one without the table', 'model = "m" # mine\n', 'model = "m" # mine\n\n[tui]\ntheme = "dark"\n'],
    ['one that ends without a line break', 'model = "m"', 'model = "m"\n\n[tui]\ntheme = "dark"\n'],
    ['one with the table', '[tui] # look\nplain = true\n[x]\n', '[tui] # look\ntheme = "dark"\nplain = true\n[x]\n'],
    ['one with the key', "[tui]\n  theme = 'light' # by day\n", '[tui]\n  theme = "dark" # by day\n'],
    ['one with the key in another table', '[x]\ntheme = "a"\n', '[x]\ntheme = "a"\n\n[tui]\ntheme = "dark"\n'],
  ])('changes nothing else in %s', (_what, before, after) => {
    expect(set(before)).toBe(after)
  })

  it.each([
    ['a dotted key', 'tui.theme = "light"\n'],
    ['an inline table', 'tui = { theme = "light" }\n'],
    ['a text that looks like the table', 'x = """\n[tui]\n"""\n'],
    ['a value of another kind', 'tui = 3\n'],
  ])('is refused for %s, with what to do', (_what, before) => {
    expect(() => set(before)).toThrow(/by hand/)
  })

  it('is refused for a file that is no TOML', () => {
    expect(() => set('[tui\n')).toThrow(/config\.toml:1/)
  })

  it('leaves every other value as it was, or the file alone', () => {
    const line = fc.constantFrom(
      '[tui]',
      '[a]',
      'theme = "x"',
      "theme = 'y' # c",
      'k = 1',
      'd = 1979-05-27',
      's = """',
      '"""',
      '# [tui]',
      '[[b]]',
      '',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const text = lines.join('\n')
        let after: string | null = null
        try {
          after = set(text)
        } catch {
          expect(after).toBeNull()
          return
        }
        const { tui, ...others } = parse(after)
        const { tui: earlier = {}, ...before } = parse(text)
        expect(others).toEqual(before)
        expect(tui).toEqual({ ...(typeof earlier === 'object' ? earlier : {}), theme: 'dark' })
      }),
      { numRuns: runsOf(500) },
    )
  })
})
