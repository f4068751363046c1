import { emptyComposer, expanded } from '@parley/presentation/composer/composer'
import { describe, expect, test } from 'vitest'
import { submit } from '../../../src/ui/update/press-enter.ts'
import { run, shown, written } from './write.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n')
const large = { kind: 'paste', text: lines(120) } as const

describe('paste', () => {
  test('a small paste is inserted with tabs kept and line ends as LF', () => {
    expect(run(emptyComposer, [{ kind: 'paste', text: 'a\tb\r\nc\rd' }]).text).toBe('a\tb\nc\nd')
  })

  test('escape sequences, controls and bidirectional overrides are dropped', () => {
    const pasted = { kind: 'paste', text: '\u001b]0;title\u0007a\u001b[2Jb\u0000\u202ec\u0085\u001b' } as const
    expect(run(emptyComposer, [pasted]).text).toBe('abc')
  })

  test('many lines are folded to a mark and sent in full', () => {
    const composer = run(written('see |!'), [large])
    expect(shown(composer)).toBe('see [pasted 120 lines #1]|!')
    expect(expanded(composer)).toBe(`see ${lines(120)}!`)
  })

  test('one long line is folded too', () => {
    expect(run(emptyComposer, [{ kind: 'paste', text: 'x'.repeat(1_001) }]).text).toBe('[pasted 1001 characters #1]')
  })

  test('ten lines are not folded', () => {
    expect(run(emptyComposer, [{ kind: 'paste', text: `${lines(10)}\n` }]).text).toBe(`${lines(10)}\n`)
  })

  test('a mark is passed over and deleted as one unit, and comes back by undo', () => {
    const composer = run(written('a|b'), [large])
    expect(shown(run(composer, ['left']))).toBe('a|[pasted 120 lines #1]b')
    expect(shown(run(composer, ['left', 'right']))).toBe(shown(composer))
    expect(shown(run(composer, ['deleteBefore']))).toBe('a|b')
    expect(expanded(run(composer, ['deleteBefore', 'undo']))).toBe(`a${lines(120)}b`)
    expect(shown(run(composer, ['wordLeft']))).toBe('a|[pasted 120 lines #1]b')
  })

  test('vertical moves pass over a mark that is wrapped', () => {
    const composer = run(written('x|\nlast'), [large])
    const narrow = { columns: 10, history: [] }
    expect(shown(run(composer, ['textStart', 'down'], narrow))).toBe('x[pasted 120 lines #1]|\nlast')
    expect(shown(run(composer, ['textEnd', 'up', 'up'], narrow))).toBe('x|[pasted 120 lines #1]\nlast')
  })

  test('text that only looks like a mark is sent as written', () => {
    expect(expanded(written('[pasted 3 lines #9]'))).toBe('[pasted 3 lines #9]')
  })
})

describe('submit', () => {
  test('sends the expanded text and leaves an empty composer', () => {
    expect(submit(run(emptyComposer, [large]))).toEqual({ kind: 'send', text: lines(120), composer: emptyComposer })
  })

  test('a backslash at the line end becomes a line end', () => {
    const submission = submit(written('one\\|'))
    expect(submission.kind === 'newline' && shown(submission.composer)).toBe('one\n|')
  })

  test('blank text is not sent', () => {
    expect(submit(written(' \n|')).kind).toBe('nothing')
  })
})
