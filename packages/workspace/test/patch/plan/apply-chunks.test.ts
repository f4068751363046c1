import { describe, expect, it } from 'vitest'
import { type AppliedChunks, applyChunks } from '../../../src/patch/plan/apply-chunks.ts'
import { parsePatch } from '../../../src/patch/plan/parse-patch.ts'
import { decodeTextFile, encodeTextFile } from '../../../src/patch/plan/text-file.ts'
import { patchOf } from '../patch-run.ts'

function place(content: string, ...lines: string[]): AppliedChunks {
  const parsed = parsePatch(patchOf('*** Update File: a', ...lines))
  const decoded = decodeTextFile(Buffer.from(content))
  const hunk = parsed.ok ? parsed.hunks[0] : undefined
  if (!decoded.ok || hunk?.kind !== 'update') throw new Error('the test is wrong')
  return applyChunks('a', decoded.file, hunk.chunks)
}

function edit(content: string, ...lines: string[]): string {
  const placed = place(content, ...lines)
  if (!placed.ok) throw new Error(placed.failures.map(({ message }) => message).join('\n'))
  return Buffer.from(encodeTextFile(placed.file)).toString()
}

describe('applyChunks', () => {
  it('searches below the context lines, outermost first', () => {
    const source = 'class A\n def f\n  x\nclass B\n def f\n  x\n'
    expect(edit(source, '@@ class B', '@@  def f', '-  x', '+  y')).toBe('class A\n def f\n  x\nclass B\n def f\n  y\n')
  })

  it('accepts a chunk that repeats its context line', () => {
    expect(edit('f()\n x\n', '@@ f()', ' f()', '- x', '+ y')).toBe('f()\n y\n')
  })

  it('inserts a chunk without old lines below its context, or at the end', () => {
    expect(edit('a\nb\nc\n', '@@ a', '+x')).toBe('a\nx\nb\nc\n')
    expect(edit('a\nb\nc\n', '@@', '+x')).toBe('a\nb\nc\nx\n')
    expect(edit('a\nb\nc\n', '@@ a', '+x', '*** End of File')).toBe('a\nb\nc\nx\n')
  })

  it('matches chunks in file order, each below the last', () => {
    expect(edit('x\nx\nx\n', '@@', '-x', '+1', '@@', '-x', '+2')).toBe('1\n2\nx\n')
  })

  it('keeps an insertion at the end after a later replacement', () => {
    expect(edit('a\nb\n', '@@', '+end', '@@', '-b', '+B')).toBe('a\nB\nend\n')
  })

  it('keeps context lines as the file has them', () => {
    expect(edit('a  \n\tb\nc\n', ' a', ' b', '-c', '+d')).toBe('a  \n\tb\nd\n')
  })

  it('drops a trailing blank line of the chunk that the file does not have', () => {
    expect(edit('a\nb\n', '-a', '+A', '', '@@', '-b', '+B')).toBe('A\nB\n')
    expect(edit('a', '-a', '-', '+A', '+')).toBe('A')
  })

  it('keeps CRLF, also for new lines', () => {
    expect(edit('a\r\nb\r\n', ' a', '-b', '+c', '+d')).toBe('a\r\nc\r\nd\r\n')
    expect(edit('a\r\nb\r\n', '-a\r', '+c\r')).toBe('c\r\nb\r\n')
  })

  it('gives each new line the line end of the line before it', () => {
    expect(edit('a\nb\r\nc\n', ' b', '+x', ' c', '+y')).toBe('a\nb\r\nx\r\nc\ny\n')
  })

  it('keeps a missing final newline wherever the change is', () => {
    expect(edit('a\nb', '-a', '+A')).toBe('A\nb')
    expect(edit('a\nb', '@@', '+c')).toBe('a\nb\nc')
    expect(edit('a\nb', ' a', '-b')).toBe('a')
    expect(edit('a\r\nb', '@@', '+c')).toBe('a\r\nb\r\nc')
  })

  it('gives an empty file a final newline and keeps a byte order mark', () => {
    expect(edit('', '@@', '+a')).toBe('a\n')
    expect(edit('\uFEFFa\nb\n', '-a', '+c')).toBe('\uFEFFc\nb\n')
  })

  it('empties a file whose lines are all removed', () => {
    expect(edit('a\nb\n', '-a', '-b')).toBe('')
  })

  it('reports every chunk that does not match', () => {
    const placed = place('a\nb\n', '@@', '-x', '@@ nowhere', '-a', '@@', '-b', '+c')
    expect(placed).toMatchObject({
      ok: false,
      failures: [
        { code: 'linesNotFound', line: 3 },
        { code: 'contextNotFound', line: 5 },
      ],
    })
  })

  it('shows the nearest lines of the file', () => {
    const placed = place('one\nfunction sum(a, b) {\n  return a + b\n}\n', '-function sum(a,b,c) {', '-  return a')
    expect(placed.ok ? '' : placed.failures[0]?.message).toContain(
      'The nearest lines of the file are:\n     2\tfunction sum(a, b) {\n     3\t  return a + b',
    )
  })

  it('reports lines that are above the start of the search', () => {
    const placed = place('a\nb\n', '@@', '-b', '@@', '-a')
    expect(placed.ok ? '' : placed.failures[0]?.message).toContain('They are at line 1, above line 3')
  })
})
