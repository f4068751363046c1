import { fixRequest } from '@parley/presentation/commands/fix-request'
import { readReviewWords } from '@parley/presentation/commands/review-words'
import { findingsText } from '@parley/presentation/items/findings'
import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import { findingRows } from '../../src/view/review/finding-rows.ts'

const finding = {
  severity: 'high',
  file: 'src/a.ts',
  line: 3,
  endLine: 4,
  title: 'A\u001b[2J crash',
  why: 'Null is read.\n',
  suggestion: { old: 'x.y\n', new: 'x?.y\n' },
} as const

describe('the words behind /review', () => {
  test.each([
    ['', { span: { kind: 'workTree' }, focus: '' }],
    ['tests above all', { span: { kind: 'workTree' }, focus: 'tests above all' }],
    ['--base main', { span: { kind: 'branch', base: 'main' }, focus: '' }],
    ['--commit=a..b the API', { span: { kind: 'commits', range: 'a..b' }, focus: 'the API' }],
    ['--base', null],
    ['--base a --commit b', null],
    ['what is --base main', { span: { kind: 'workTree' }, focus: 'what is --base main' }],
  ])('%s', (words, read) => {
    expect(readReviewWords(words)).toEqual(read)
  })
})

describe('findings', () => {
  test('are numbered rows with their place, reason and change', () => {
    const rows = findingRows([finding], { columns: 60 }).map((row) => lineText(row).trimEnd())
    expect(rows).toMatchInlineSnapshot(`
      [
        "  1  high  src/a.ts:3-4  A\\x1b[2J crash",
        "    Null is read.",
        "    3 │- x.y",
        "    3 │+ x?.y",
        "  /fix 1 has the model mend one",
      ]
    `)
  })

  test('are plain text that changes no terminal', () => {
    expect(findingsText([finding])).toBe(
      '1. high  src/a.ts:3-4  A\\x1b[2J crash\n   Null is read.\n   - x.y\n   + x?.y',
    )
    expect(findingsText([])).toBe('Nothing found.')
  })

  test('are mended one by one, with the suggestion in a fence that it cannot leave', () => {
    const text = fixRequest({ ...finding, suggestion: { old: 'a\n```\nb', new: '' } }, 2)
    expect(text).toContain('Mend finding 2 of the review, and nothing else: src/a.ts:3-4')
    expect(text).toContain('````\na\n```\nb\n````')
  })
})
