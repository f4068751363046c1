import { type Line, lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../../src/view/markdown/render.ts'
import { corpus, fixturePath, plain } from './corpus.ts'
import { message } from './messages.ts'

const cases = [...corpus].flatMap(([name, text]) => [40, 80, 120].map((columns) => ({ name, text, columns })))

/** The one line of a one-line message. */
function lineOf(text: string): Line {
  return renderMarkdown(text, { columns: 80 })[0] ?? []
}

describe('renderMarkdown', () => {
  test.each(cases)('$name at $columns columns reads as in its fixture', async ({ name, text, columns }) => {
    const rows = renderMarkdown(text, { columns })
    await expect(`${plain(rows)}\n`).toMatchFileSnapshot(fixturePath(`${name}.${columns}.txt`))
  })

  test('emphasis, code and strikes are styles', () => {
    expect(lineOf('a **b *c*** `d` ~~e~~')).toEqual([
      { text: 'a ' },
      { text: 'b ', bold: true },
      { text: 'c', bold: true, italic: true },
      { text: ' ' },
      { text: 'd', code: true },
      { text: ' ' },
      { text: 'e', strike: true },
    ])
  })

  test('a link keeps its target, whatever scheme does not open a page, file or mail is only shown', () => {
    expect(lineOf('[a](https://x.org/é) [b](javascript:x) [c](FILE:///etc)')).toEqual([
      { text: 'a', underline: true, href: 'https://x.org/%C3%A9' },
      { text: ' b' },
      { text: ' (javascript:x)', tone: 'muted' },
      { text: ' ' },
      { text: 'c', underline: true, href: 'FILE:///etc' },
    ])
  })

  test('fenced code has its language above it', () => {
    expect(renderMarkdown('```ts\nlet a\n```', { columns: 20 })).toEqual([
      [{ text: 'ts', tone: 'muted', italic: true }],
      [{ text: 'let a', code: true }],
    ])
  })

  test('headings differ by level', () => {
    expect([lineOf('# a'), lineOf('## a'), lineOf('### a')]).toEqual([
      [{ text: 'a', bold: true, underline: true, tone: 'heading' }],
      [{ text: 'a', bold: true, tone: 'heading' }],
      [{ text: 'a', bold: true, tone: 'heading' }],
    ])
  })

  test('deep nesting neither fails nor leaves the room', () => {
    const deep = Array.from({ length: 60 }, (_, level) => `${'  '.repeat(level)}- item`).join('\n')
    const lines = ['> ', '>', '- ', '1. ', '> - '].map((marker) => `${marker.repeat(20_000)}text`)
    for (const row of renderMarkdown([deep, ...lines].join('\n\n'), { columns: 40 })) {
      expect(cellWidth(lineText(row))).toBeLessThanOrEqual(40)
    }
  })

  test('no row is wider than the room or has a control character', () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 16, max: 100 }), (text, columns) => {
        for (const row of renderMarkdown(text, { columns })) {
          expect(cellWidth(lineText(row))).toBeLessThanOrEqual(columns)
          expect(JSON.stringify(row)).not.toMatch(/\\u00|\\[bfnrt]|[\x7f-\x9f\u202a-\u202e]/)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('with wide ambiguous characters no row is wider than the room either', () => {
    for (const text of corpus.values()) {
      for (const row of renderMarkdown(text, { columns: 40, ambiguous: 2 })) {
        expect(cellWidth(lineText(row), 2)).toBeLessThanOrEqual(40)
      }
    }
  })
})
