import { emptyComposer } from '@parley/presentation/composer/composer'
import { markRanges } from '@parley/presentation/composer/stops'
import { lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ComposerCommand } from '../../../src/ui/composer/command.ts'
import { layoutComposer } from '../../../src/ui/composer/layout.ts'
import { run } from './write.ts'

const surroundings = { columns: 9, history: ['older 👍🏽', 'multi\nline\nentry'] }

const letters = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '\t',
  '漢',
  '👍',
  '🏽',
  '\u200d',
  '👩',
  '🇩',
  '🇪',
  'e',
  '\u0301',
  '\ufe0f',
  'क',
  '्',
  'ष',
  '\u0600',
  '1',
  ']',
)
const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''))
const plain = fc.constantFrom<Exclude<ComposerCommand['kind'], 'insert' | 'paste'>>(
  'left',
  'right',
  'wordLeft',
  'wordRight',
  'lineStart',
  'lineEnd',
  'textStart',
  'textEnd',
  'up',
  'down',
  'deleteBefore',
  'deleteAfter',
  'killWordBefore',
  'killBlankWordBefore',
  'killWordAfter',
  'killToLineStart',
  'killToLineEnd',
  'newline',
  'yank',
  'undo',
)
const command: fc.Arbitrary<ComposerCommand> = fc.oneof(
  text.map((value) => ({ kind: 'insert', text: value }) as const),
  text.map((value) => ({ kind: 'paste', text: value }) as const),
  fc.constant({ kind: 'paste', text: 'row\n'.repeat(12) } as const),
  plain.map((kind) => ({ kind })),
)
const commands = fc.array(command, { maxLength: 25 })

const segmenter = new Intl.Segmenter()

/** Every place between two graphemes. */
function boundaries(value: string): Set<number> {
  return new Set([...segmenter.segment(value)].map(({ index }) => index).concat(value.length))
}

describe('composer laws', () => {
  test('editing never leaves the caret outside the text, inside a grapheme or inside a mark', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const composer = run(emptyComposer, list, surroundings)
        expect(boundaries(composer.text).has(composer.caret)).toBe(true)
        expect(markRanges(composer).some(({ start, end }) => start < composer.caret && composer.caret < end)).toBe(
          false,
        )
      }),
      { numRuns: runsOf(500) },
    )
  })

  test('undo reverts text and caret of any edit but typing', () => {
    fc.assert(
      fc.property(commands, command, (list, last) => {
        const before = run(emptyComposer, list, surroundings)
        const after = run(before, [last], surroundings)
        fc.pre(!['insert', 'undo', 'up', 'down'].includes(last.kind) && after.text !== before.text)
        const undone = run(after, ['undo'], surroundings)
        expect([undone.text, undone.caret]).toEqual([before.text, before.caret])
      }),
      { numRuns: runsOf(500) },
    )
  })

  test('undoing everything comes back to the empty composer', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const composer = run(emptyComposer, list, surroundings)
        const undone = run(
          composer,
          composer.past.map(() => 'undo' as const),
        )
        expect([undone.text, undone.past]).toEqual(['', []])
      }),
      { numRuns: 300 },
    )
  })

  test('the caret is drawn inside the rows, and no row is wider than the room', () => {
    fc.assert(
      fc.property(
        commands,
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        (list, columns, maxRows) => {
          const composer = run(emptyComposer, list, surroundings)
          const { rows, caret } = layoutComposer(composer, { columns }, maxRows)
          expect(rows.length).toBeLessThanOrEqual(maxRows)
          expect(rows[caret.row]).toBeDefined()
          expect(caret.column).toBeLessThan(columns)
          for (const row of rows) {
            const visible = lineText(row).trimEnd()
            expect(cellWidth(visible) <= columns || boundaries(visible).size <= 3).toBe(true)
          }
        },
      ),
      { numRuns: runsOf(500) },
    )
  })
})
