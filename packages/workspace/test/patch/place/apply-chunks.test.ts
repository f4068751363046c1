import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import { type AppliedChunks, applyChunks } from '../../../src/patch/place/apply-chunks.ts'
import { decodeTextFile, encodeTextFile } from '../../../src/patch/place/text-file.ts'
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
    expect(edit('x\ny\nx\n', '@@', '-x', '+1', '@@', '-y', '+2', '@@', '-x', '+3')).toBe('1\n2\n3\n')
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
    const placed = place('a\nb\n', '@@', '-x', '@@ nowhere', '+a', '@@', '-b', '+c')
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

function problemOf(content: string, ...lines: string[]): string {
  const placed = place(content, ...lines)
  if (placed.ok) throw new Error('the patch was applied')
  return placed.failures.map(({ code, message }) => `${code}: ${message}`).join('\n')
}

describe('a chunk that fits in two places', () => {
  it('is refused, and both lines are named', () => {
    expect(problemOf('x\ny\nx\n', '-x', '+z')).toMatch(
      /^ambiguousPlace: The chunk on line 3 fits in a at line 1 and at line 3, so it was applied at neither\./,
    )
  })

  it('is applied at the place of its line number, or near it where the next place is far', () => {
    const content = 'x\ny\nx\ny\nx\n'
    expect(edit(content, '@@ -3,1 +3,1 @@', '-x', '+z')).toBe('x\ny\nz\ny\nx\n')
    const far = `x\n${'y\n'.repeat(150)}x\n`
    expect(edit(far, '@@ -9 +9 @@', '-x', '+z')).toBe(far.replace('x', 'z'))
    expect(problemOf(content, '@@ -2 +2 @@', '-x', '+z')).toContain('at line 1 and at line 3')
  })

  it('takes numbers as a choice only: the one matching place wins over a wrong number', () => {
    expect(edit('a\nb\nc\n', '@@ -3,1 +3,1 @@', '-a', '+A')).toBe('A\nb\nc\n')
  })

  it('is applied where its context line occurs once, at the first place below it', () => {
    expect(edit('f\n x\ng\n x\nh\n x\n', '@@ g', '- x', '+ y')).toBe('f\n x\ng\n y\nh\n x\n')
  })

  it('is refused below a context line that occurs twice, unless only one of them leads to it', () => {
    expect(problemOf('f\n x\nf\n x\n', '@@ f', '- x', '+ y')).toContain('at line 2 and at line 4')
    expect(edit('f\n x\nf\n z\n', '@@ f', '- x', '+ y')).toBe('f\n y\nf\n z\n')
    expect(problemOf('f\nf\n', '@@ f', '+x')).toContain('at line 2 and at line 3')
    expect(problemOf('f\n x\nf\n x\n', '@@ f', ' f', '- x', '+ y')).toContain('at line 1 and at line 3')
  })

  it('is chosen by number among the places below its context', () => {
    expect(edit('f\n x\n x\n x\n', '@@ -3,1 +3,1 @@ f', '- x', '+ y')).toBe('f\n x\n y\n x\n')
  })

  it('is applied where the order of the chunks leaves one reading', () => {
    expect(edit('x\nx\nx\n', '@@', '-x', '+1', '@@', '-x', '+2', '@@', '-x', '+3')).toBe('1\n2\n3\n')
    expect(edit('x\ny\nx\n', '@@', '-x', '+1', '@@', '-y', '+2')).toBe('1\n2\nx\n')
    expect(problemOf('x\nx\nx\n', '@@', '-x', '+1', '@@', '-x', '+2').split('\n')).toHaveLength(2)
  })
})

describe('a number that is made up', () => {
  const block = '  x = 1\nend\n'
  const blocks = Array.from({ length: 12 }, (_, index) => `block ${index}\n${block}`).join('')

  it.each([
    ['near one of many places', '@@ -1 +1 @@', blocks],
    ['at a place, with counts that are not those of its lines', '@@ -2,3 +2,3 @@', blocks],
    ['at the first line, with wrong counts', '@@ -1,7 +1,7 @@', block.repeat(12)],
    ['far from all places', '@@ -500,2 +500,2 @@', blocks],
  ])('chooses nothing: %s', (_name, header, content) => {
    expect(problemOf(content, header, '-  x = 1', '+  x = 2', ' end')).toMatch(
      /^ambiguousPlace: .* at line \d+ and at line/,
    )
  })

  it('chooses nothing that lies elsewhere than its heading leads to', () => {
    const content = 'f\n x\ng\n x\n'
    expect(problemOf(content, '@@ -2 +2 @@ g', '- x', '+ y')).toContain('at line 2 and at line 4')
    expect(edit(content, '@@ -4 +4 @@ g', '- x', '+ y')).toBe('f\n x\ng\n y\n')
  })
})

describe('a heading', () => {
  const twice = 'def f():\n    a = 1\n    b = 2\n    c = 3\ndef g():\n    a = 1\n'
  const long = `func Render(w http.ResponseWriter, code int, data ...interface{}, ${'more string, '.repeat(4)}end int) error {`

  it.each([
    [
      'repeated for each chunk',
      twice,
      ['@@ def f():', '-    a = 1', '+    a = 9', '@@ def f():', '-    c = 3', '+    c = 9'],
      [2, 4],
    ],
    ['not in the file', twice, ['@@ def nowhere():', '-    b = 2', '+    b = 9'], [3]],
    ['of another place than the one of the text', twice, ['@@ def g():', '-    b = 2', '+    b = 9'], [3]],
    ['that chooses between two places', twice, ['@@ def g():', '-    a = 1', '+    a = 9'], [6]],
    ['cut by git after 80 columns', `f\n x\n${long}\n x\n`, [`@@ ${long.slice(0, 80)}`, '- x', '+ 9'], [4]],
  ])('%s refuses nothing that is clear', (_name, content, lines, changed) => {
    const after = edit(content, ...lines).split('\n')
    expect(content.split('\n').flatMap((line, index) => (line === after[index] ? [] : [index + 1]))).toEqual(changed)
  })

  it.each([
    ['below which the text is twice in one block', 'f\n x\n y\n x\ng\n z\n', '@@ f', 2, 4],
    ['not in the file, where the text is twice', 'f\n x\ng\n x\n', '@@ nowhere', 2, 4],
    ['far above the text, which is outside of its block', `f\ng\n${'z\n'.repeat(30)} x\n x\nq\n x\n`, '@@ f', 33, 36],
  ])('%s does not choose', (_name, content, heading, one, other) => {
    const problem = problemOf(content, heading, '- x', '+ 9')
    expect(problem).toContain(`at line ${one} and at line`)
    expect(other).toBeGreaterThan(one)
  })

  it('never leads to lines that fit worse', () => {
    expect(edit('c: 1\nb:\n  c: 1\n', '@@ b:', '-c: 1', '+c: 2')).toBe('c: 2\nb:\n  c: 1\n')
  })

  it('of a diff without context does not say where lines are added', () => {
    expect(problemOf('f\n x\n y\n', '@@ -3,0 +4,1 @@ f', '+ z')).toContain('only the number 3 says where in a')
    expect(edit('f\n x\n y\n', '@@ -1,0 +2,1 @@ f', '+ z')).toBe('f\n z\n x\n y\n')
  })
})

describe('a chunk above the last one', () => {
  it('is not put at lines below that fit worse', () => {
    expect(problemOf('x = 1\ny\n  x = 1\n', '@@', '-y', '+Y', '@@', '-x = 1', '+x = 2')).toContain(
      'They are at line 1, above line 3',
    )
    expect(edit('x = 1\ny\n  x = 1\n', '@@', '-x = 1', '-y', '@@', '-x = 1', '+x = 2')).toBe('  x = 2\n')
  })
})

describe('a chunk that makes the same file in each of its places', () => {
  it('is applied', () => {
    expect(edit('a\nx\nx\nb\n', '-x')).toBe('a\nx\nb\n')
    expect(edit('x\nx\nx\n', '@@', '-x', '@@', '-x')).toBe('x\n')
    expect(edit('f\n x\n x\n', '@@ f', ' f', '- x')).toBe('f\n x\n')
    expect(edit('x\r\nx', '-x')).toBe('x')
    expect(problemOf('x\ny\nx\n', '-x')).toContain('at line 1 and at line 3')
    expect(problemOf('x\nx\ny\nx\n', '-x')).toContain('at line 2 and at line 4')
    expect(problemOf('x\nx\r\ny\n', '-x')).toContain('at line 1 and at line 2')
  })

  it('is applied exactly where all readings of the patch agree', () => {
    const letter = fc.constantFrom('a', 'b')
    const chunk = fc
      .array(fc.tuple(fc.constantFrom(' ', '-', '+'), letter), { minLength: 1, maxLength: 3 })
      .filter((lines) => lines.some(([sign]) => sign !== '+'))
    fc.assert(
      fc.property(
        fc.array(letter, { maxLength: 7 }),
        fc.array(chunk, { minLength: 1, maxLength: 3 }),
        (file, chunks) => {
          const readings = new Set(readingsOf(file, chunks))
          const patch = chunks.flatMap((lines) => ['@@', ...lines.map((line) => line.join(''))])
          const placed = place(file.map((line) => `${line}\n`).join(''), ...patch)
          const made = placed.ok ? placed.file.lines.map(({ text }) => text).join() : null
          expect(made).toBe(readings.size === 1 ? [...readings][0] : null)
        },
      ),
      { numRuns: runsOf(1000) },
    )
  })
})

type Letters = readonly string[]

/** Returns every file that the chunks may make, each below the one before. */
function readingsOf(file: Letters, [chunk, ...more]: readonly (readonly [string, string][])[]): readonly string[] {
  if (chunk === undefined) return [file.join()]
  const old = chunk.flatMap(([sign, text]) => (sign === '+' ? [] : [text]))
  const changed = chunk.flatMap(([sign, text]) => (sign === '-' ? [] : [text]))
  return file.flatMap((_, start) => {
    const end = start + old.length
    if (file.slice(start, end).join() !== old.join()) return []
    const below = readingsOf(file.slice(end), more)
    return below.map((rest) => [...file.slice(0, start), ...changed, ...(rest === '' ? [] : [rest])].join())
  })
}

describe('a chunk with an end-of-file marker', () => {
  it('is applied at the end of the file only', () => {
    expect(edit('a\nb\na\n', '-a', '+c', '*** End of File')).toBe('a\nb\nc\n')
    expect(problemOf('a\nb\n', '-a', '+c', '*** End of File')).toBe(
      'linesNotFound: The lines of the chunk on line 3 are not at the end of a, where *** End of File puts them. They are at line 1. Leave that marker out, or give the last lines of the file.',
    )
  })

  it('matches the end leniently', () => {
    expect(edit('a\nb\na \n', '-a', '+c', '*** End of File')).toBe('a\nb\nc \n')
  })
})

describe('a chunk that only adds lines', () => {
  it('is refused where nothing but a line number says where', () => {
    expect(problemOf('a\nb\n', '@@ -1,0 +2,1 @@', '+x')).toContain('only the number 1 says where in a')
    expect(edit('a\nb\n', '@@ -2,0 +3,1 @@', '+x')).toBe('a\nb\nx\n')
    expect(edit('', '@@ -0,0 +1,1 @@', '+x')).toBe('x\n')
  })
})
