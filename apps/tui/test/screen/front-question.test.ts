import { expect, test } from 'vitest'
import { FrontQuestion } from '../../src/screen/front-question.ts'
import { emptyZone } from '../../src/view/live-zone.ts'
import type { Screen } from '../../src/view/screen.ts'
import { ansiTheme } from '../../src/view/text/theme.ts'

const size = { columns: 80, rows: 24 }

function question(rows: number, fields: Partial<Screen> = {}): Screen {
  return {
    settled: [],
    live: {
      ...emptyZone,
      approval: Array.from({ length: rows }, (_, row) => [{ text: `row ${row}`.padEnd(70, '.') }]),
    },
    caret: null,
    approvalId: 'a1',
    isSeen: false,
    changesAtMs: null,
    theme: ansiTheme,
    ambiguous: 1,
    ...fields,
  } as Screen
}

function front() {
  let written = ''
  const modes: boolean[] = []
  const view = new FrontQuestion({
    write: (text) => {
      written += text
    },
    setAlternate: (isUsed) => void modes.push(isUsed),
  })
  return { view, modes, written: () => written }
}

test('a question goes in front when half the width would make it higher than the window', () => {
  expect(front().view.wants(question(12), size)).toBe(false)
  expect(front().view.wants(question(13), size)).toBe(true)
})

test('a question over which text is written stays at the end of the transcript', () => {
  const caret = { part: 'composer', row: 0, column: 0 } as const
  expect(front().view.wants(question(20, { caret }), size)).toBe(false)
})

test('it is shown whole at the bottom of the alternate screen, and stays there in a larger window', () => {
  const { view, modes, written } = front()
  view.show(question(20), size)
  expect(modes).toEqual([true])
  for (let row = 0; row < 20; row++) expect(written()).toContain(`\x1b[${row + 5};1H\x1b[Krow ${row}.`)
  expect(view.wants(question(20), { columns: 300, rows: 90 })).toBe(true)
})

test('it goes back to the transcript for what is printed about it, and stays below that', () => {
  const { view, modes } = front()
  view.show(question(20), size)
  const settled = [{ kind: 'notice', lines: [[{ text: 'all of it' }]] }] as unknown as Screen['settled']
  expect(view.wants(question(20, { settled }), size)).toBe(false)
  view.leave()
  expect(modes).toEqual([true, false])
  expect(view.wants(question(20), size)).toBe(false)
})
