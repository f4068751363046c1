import { parseMarkdown } from '@parley/presentation/markdown/inline'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockRows, renderMarkdown, renderPieces } from '../../../src/view/markdown/render.ts'
import { advance, emptyFlow, type Flow, type Piece, rest } from '../../../src/view/markdown/settle-blocks.ts'
import { corpus, plain } from './corpus.ts'
import { message } from './messages.ts'

const room = { columns: 60 }

function streamed(parts: readonly string[]): { settled: readonly Piece[]; flow: Flow } {
  let flow = emptyFlow
  const settled: Piece[] = []
  for (const part of parts) {
    const step = advance(flow, part)
    flow = step.flow
    settled.push(...step.settled)
  }
  return { settled, flow }
}

function settledTexts(text: string): string[] {
  return streamed([text]).settled.map((piece) => (piece.kind === 'code' ? piece.lines.join('\n') : piece.text))
}

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.filter((place) => place < text.length).sort((left, right) => left - right)]
  return sorted.map((place, index) => text.slice(place, sorted[index + 1]))
}

const cuts = fc.array(fc.nat({ max: 300 }), { maxLength: 12 })

describe('advance', () => {
  test.each([
    ['a paragraph waits for a blank line', 'one\ntwo\n', []],
    ['and is settled by it', 'one\ntwo\n\nthr', ['one\ntwo\n']],
    ['a heading is settled by its line end', '# one\ntw', ['# one\n']],
    ['a list item is settled by the next item', '- a\n  b\n- c\n', ['- a\n  b\n']],
    ['a blank line alone does not settle an item', '- a\n\n', []],
    ['what cannot belong to the list settles it', '- a\n\ntext\n', ['- a\n\n']],
    ['a table waits for its end', '|a|\n|-|\n|1|\n', []],
    ['code is settled line by line', '```js\na\n\nb\nc', ['a\n\nb']],
    ['a fence ends a paragraph', 'one\n```\n', ['one\n']],
    ['blank lines in a fence settle nothing else', '```\n\n# no heading\n', ['\n# no heading']],
    ['a quote waits for a blank line', '> a\nlazy\n\n', ['> a\nlazy\n']],
    ['indented code may go on after a blank line', '    a\n\n', []],
    ['a line end that is cut in two is still one', 'one\r\n\r\n', ['one\n']],
  ])('%s', (_, text, expected) => {
    expect(settledTexts(text)).toEqual(expected)
  })

  test('numbers go on from item to item', () => {
    expect(plain(renderMarkdown('3. a\n3. b\n\n3. c', room))).toBe('3. a\n4. b\n\n5. c')
  })

  test('the unsettled rest of a long message stays small', () => {
    const text = [...corpus.values()].join('\n~~~\n\n').repeat(50)
    let flow = emptyFlow
    for (let at = 0; at < text.length; at += 20) {
      flow = advance(flow, text.slice(at, at + 20)).flow
      expect(flow.block.length + flow.partial.length).toBeLessThan(2_000)
    }
  })

  test('pieces one after the other render as the whole, wherever the message was cut', () => {
    fc.assert(
      fc.property(message, cuts, (text, places) => {
        const { settled, flow } = streamed(cutAt(text, places))
        expect(renderPieces([...settled, ...rest(flow)], room)).toEqual(renderMarkdown(text, room))
      }),
      { numRuns: runsOf(500) },
    )
  })

  test('settled rows never change: they begin the rows of the whole message', () => {
    fc.assert(
      fc.property(message, fc.nat({ max: 200 }), (text, cut) => {
        const rows = renderPieces(streamed([text.slice(0, cut)]).settled, room)
        expect(renderMarkdown(text, room).slice(0, rows.length)).toEqual(rows)
      }),
      { numRuns: runsOf(500) },
    )
  })

  test.each([...corpus])('%s is read as the lexer reads it in one go', (_, text) => {
    expect(plain(renderMarkdown(text, room)).trimEnd()).toBe(plain(blockRows(parseMarkdown(text), room)).trimEnd())
  })
})
