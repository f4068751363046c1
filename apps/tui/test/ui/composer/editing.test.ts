import { clear, emptyComposer, putBack } from '@parley/presentation/composer/composer'
import { describe, expect, test } from 'vitest'
import type { ComposerCommand } from '../../../src/ui/composer/command.ts'
import { around, run, shown, written } from './write.ts'

type Plain = Exclude<ComposerCommand['kind'], 'insert' | 'paste'>

// biome-ignore format: a table
const edits: readonly (readonly [string, Plain, string])[] = [
  ['a|b', 'left', '|ab'],
  ['|ab', 'left', '|ab'],
  ['👨‍👩‍👧|x', 'left', '|👨‍👩‍👧x'],
  ['|🇩🇪🇫🇷', 'right', '🇩🇪|🇫🇷'],
  ['|e\u0301x', 'right', 'e\u0301|x'],
  ['a\n|b', 'left', 'a|\nb'],
  ['one two|', 'wordLeft', 'one |two'],
  ['one  two |three', 'wordLeft', 'one  |two three'],
  ['|one two', 'wordRight', 'one| two'],
  ['one| - two x', 'wordRight', 'one - two| x'],
  ['a\nbc|d\ne', 'lineStart', 'a\n|bcd\ne'],
  ['a\nb|cd\ne', 'lineEnd', 'a\nbcd|\ne'],
  ['a\nb|', 'textStart', '|a\nb'],
  ['|a\nb', 'textEnd', 'a\nb|'],
  ['ab|c', 'deleteBefore', 'a|c'],
  ['|c', 'deleteBefore', '|c'],
  ['a👍🏽|', 'deleteBefore', 'a|'],
  ['a|👍🏽b', 'deleteAfter', 'a|b'],
  ['a|', 'deleteAfter', 'a|'],
  ['git commit --am|', 'killBlankWordBefore', 'git commit |'],
  ['git commit --am|', 'killWordBefore', 'git commit --|'],
  ['a  |', 'killBlankWordBefore', '|'],
  ['one| two three', 'killWordAfter', 'one| three'],
  ['a\nb|cd\ne', 'killToLineEnd', 'a\nb|\ne'],
  ['a|\nb', 'killToLineEnd', 'a|b'],
  ['a\nbc|d', 'killToLineStart', 'a\n|d'],
  ['a\n|d', 'killToLineStart', 'a|d'],
  ['a|b', 'newline', 'a\n|b'],
]

describe('editing', () => {
  test.each(edits)('%j: %s gives %j', (before, command, after) => {
    expect(shown(run(written(before), [command]))).toBe(after)
  })

  test('what was killed last is yanked', () => {
    expect(shown(run(written('one two|'), ['killBlankWordBefore', 'lineStart', 'yank']))).toBe('two|one ')
  })

  test('killing nothing keeps what was killed before', () => {
    expect(run(written('one|'), ['killBlankWordBefore', 'killToLineEnd', 'yank']).text).toBe('one')
  })

  test('a word that is typed is undone as a whole, the word before it stays', () => {
    const typed = run(
      emptyComposer,
      [...'one two'].map((text) => ({ kind: 'insert', text }) as const),
    )
    expect(run(typed, ['undo']).text).toBe('one')
    expect(run(typed, ['undo', 'undo']).text).toBe('')
    expect(run(typed, ['undo', 'undo', 'undo']).text).toBe('')
  })

  test('a move ends the undo step', () => {
    const typed = run(emptyComposer, [{ kind: 'insert', text: 'ab' }, 'left', { kind: 'insert', text: 'x' }])
    expect(shown(run(typed, ['undo']))).toBe('a|b')
  })

  test('cleared text comes back by undo', () => {
    expect(shown(run(clear(written('pre|cious')), ['undo']))).toBe('pre|cious')
  })

  test('typed controls and sequences are dropped', () => {
    expect(run(emptyComposer, [{ kind: 'insert', text: 'a\u001b[31mb\u0007\u009bc' }]).text).toBe('ab')
  })

  test('a mark that joins the letter after the caret moves the caret past it', () => {
    expect(shown(run(written('|\u0301b'), [{ kind: 'insert', text: 'a' }]))).toBe('a\u0301|b')
  })

  test('unsent text is put back in front of what was written since', () => {
    expect(putBack(written('new|'), 'old').text).toBe('old\nnew')
    expect(putBack(emptyComposer, 'old').text).toBe('old')
  })

  test('the caret goes up and down in its goal column', () => {
    const text = written('a long first line\nab\nanother long one|')
    expect(shown(run(text, ['up']))).toBe('a long first line\nab|\nanother long one')
    expect(shown(run(text, ['up', 'up']))).toBe('a long first lin|e\nab\nanother long one')
    expect(shown(run(text, ['up', 'up', 'down', 'down']))).toBe(shown(text))
  })

  test('rows that are wrapped are rows to go through', () => {
    const text = written('one two three four five six|')
    expect(shown(run(text, ['up'], { ...around, columns: 14 }))).toBe('one two three| four five six')
  })

  test('wide characters count two cells for the column', () => {
    expect(shown(run(written('漢字漢字\nabc|'), ['up']))).toBe('漢|字漢字\nabc')
  })
})
