import { describe, expect, it } from 'vitest'
import { inlineLines, knownToken, parseMarkdown } from '../../src/markdown/inline.ts'

/** Returns the text of a paragraph of Markdown as it is shown. */
function shown(markdown: string): string {
  const [paragraph] = parseMarkdown(markdown)
  const lines = inlineLines(knownToken(paragraph?.type === 'paragraph' ? paragraph.tokens : []), {})
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
}

describe('a link whose label is another address', () => {
  it.each([
    ['[https://github.com/good/repo](https://evil.example/x)', 'https://github.com/good/repo (evil.example)'],
    ['[github.com/good](https://evil.example)', 'github.com/good (evil.example)'],
    ['[github.com](https://evil.example/github.com)', 'github.com (evil.example)'],
    ['[`https://github.com`](https://evil.example:8443)', 'https://github.com (evil.example:8443)'],
    ['[see https://good.org now](http://127.0.0.1:99/)', 'see https://good.org now (127.0.0.1:99)'],
    ['[https://good.org](https://good.org@evil.example/)', 'https://good.org (evil.example)'],
    ['[https://good.org](https://good.org.evil.example/)', 'https://good.org (good.org.evil.example)'],
    ['[https://g\u043e\u043ed.org](https://good.org/)', 'https://g\u043e\u043ed.org (good.org)'],
    ['[ann@good.org](mailto:eve@evil.example)', 'ann@good.org (eve@evil.example)'],
    ['[https://good.org](file:///etc/passwd)', 'https://good.org (file:///etc/passwd)'],
    ['![https://good.org](https://evil.example/a.png)', 'https://good.org (evil.example)'],
  ])('%s shows where it leads', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected)
  })
})

describe('a link whose label is no other address', () => {
  it.each([
    ['[the docs](https://evil.example/x)', 'the docs'],
    ['[https://good.org/a](https://good.org/b)', 'https://good.org/a'],
    ['[www.good.org](https://good.org/)', 'www.good.org'],
    ['<https://good.org/x>', 'https://good.org/x'],
    ['https://good.org/x', 'https://good.org/x'],
    ['[main.rs](file:///work/src/main.rs)', 'main.rs'],
    ['[v1.2.3](https://good.org/v1.2.3)', 'v1.2.3'],
    ['[ann@good.org](mailto:ann@good.org)', 'ann@good.org'],
    ['[Node.js](https://nodejs.org)', 'Node.js'],
    ['[src/package.json](https://good.org/src/package.json)', 'src/package.json'],
  ])('%s is shown as it is', (markdown, expected) => {
    expect(shown(markdown)).toBe(expected)
  })
})

it('a label of any length is looked at up to a limit', () => {
  const label = `https://good.org ${'a.'.repeat(40_000)}`
  expect(shown(`[${label}](https://evil.example/)`).endsWith('(evil.example)')).toBe(true)
})
