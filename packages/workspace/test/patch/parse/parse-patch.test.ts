import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hunk } from '../../../src/patch/parse/parse-chunks.ts'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import { patchOf } from '../patch-run.ts'

function hunksOf(text: string): readonly Hunk[] {
  const parsed = parsePatch(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.hunks
}

const oneUpdate = patchOf('*** Update File: a', '@@', '-x', '+y')

describe('parsePatch', () => {
  it('parses the three kinds of hunks with their lines', () => {
    const text = patchOf(
      '*** Add File: a',
      '+1',
      '+',
      '*** Delete File: b',
      '*** Update File: c',
      '*** Move to: d',
      ' k',
      '-r',
      '+i',
    )
    expect(hunksOf(text)).toEqual([
      { kind: 'add', path: 'a', line: 2, lines: ['1', ''] },
      { kind: 'delete', path: 'b', line: 5 },
      {
        kind: 'update',
        path: 'c',
        movedTo: 'd',
        line: 6,
        chunks: [
          {
            contexts: [],
            lines: [
              { kind: 'keep', text: 'k' },
              { kind: 'remove', text: 'r' },
              { kind: 'insert', text: 'i' },
            ],
            atEnd: false,
            line: 8,
          },
        ],
      },
    ])
  })

  it('parses an Add without lines as an empty file', () => {
    expect(hunksOf(patchOf('*** Add File: a'))).toEqual([{ kind: 'add', path: 'a', line: 2, lines: [] }])
  })

  it('parses a Move without chunks as a rename', () => {
    expect(hunksOf(patchOf('*** Update File: a', '*** Move to: b'))).toMatchObject([{ movedTo: 'b', chunks: [] }])
  })

  it('collects stacked context lines', () => {
    const text = patchOf('*** Update File: a', '@@ class A', '@@   def f(self):', '+x')
    expect(hunksOf(text)).toMatchObject([{ chunks: [{ contexts: ['class A', '  def f(self):'] }] }])
  })

  it('reads the heading and the old line number of a unified diff header', () => {
    const text = patchOf(
      '*** Update File: a',
      '@@ -1,1 +3,0 @@ class A',
      '-x',
      '@@ -9 +9 @@',
      '-y',
      '@@ -20,3 +20,3 @@',
      '-z',
    )
    expect(hunksOf(text)).toMatchObject([
      {
        chunks: [
          { contexts: ['class A'], oldLine: 1 },
          { contexts: [], oldLine: 9 },
          // Its counts are not those of its lines.
          expect.not.objectContaining({ oldLine: 20 }),
        ],
      },
    ])
  })

  it('parses an empty line as an empty context line', () => {
    const text = patchOf('*** Update File: a', ' x', '', '-y')
    expect(hunksOf(text)).toMatchObject([{ chunks: [{ lines: [{}, { kind: 'keep', text: '' }, {}] }] }])
  })

  it('parses the end-of-file marker and skips blank lines after it', () => {
    const text = patchOf('*** Update File: a', '-x', '*** End of File', '', '*** Delete File: b')
    expect(hunksOf(text)).toMatchObject([{ chunks: [{ atEnd: true }] }, { kind: 'delete' }])
  })

  it('ignores an environment id', () => {
    expect(hunksOf(patchOf('*** Environment ID: remote', '*** Delete File: b'))).toMatchObject([{ path: 'b', line: 3 }])
  })

  it.each([
    ['padded markers', '\n  *** Begin Patch  \n*** Update File: a\n@@\n-x\n+y\n *** End Patch \n\n'],
    ['a bare heredoc', `<<EOF\n${oneUpdate}EOF`],
    ['a quoted heredoc', `<<'EOF'\n${oneUpdate}EOF\n`],
    ['a double-quoted heredoc', `<<"PATCH"\n${oneUpdate}PATCH`],
    ['CRLF transport', oneUpdate.replaceAll('\n', '\r\n')],
  ])('accepts %s', (_name, text) => {
    expect(hunksOf(text)).toEqual(hunksOf(oneUpdate))
  })

  it('keeps a carriage return that is content', () => {
    expect(hunksOf(patchOf('*** Add File: a', '+x\r'))).toMatchObject([{ lines: ['x\r'] }])
  })

  it.each([
    ['a missing Begin', 'x\n*** End Patch', 1],
    ['only a Begin', '*** Begin Patch', 1],
    ['nothing', '', 1],
    ['a second patch', `${oneUpdate}${oneUpdate}`, 6],
    ['a second patch without an end', `${oneUpdate}*** Begin Patch\n*** Delete File: b`, 7],
    ['lines below the end that are of a patch', `${oneUpdate}*** Delete File: b`, 7],
    ['an unknown header', patchOf('*** Frobnicate File: a'), 2],
    ['a header without a path', patchOf('*** Add File:'), 2],
    ['a move without a path', patchOf('*** Update File: a', '*** Move to:', '-x'), 3],
    ['an empty update', patchOf('*** Update File: a'), 2],
    ['an update whose chunk is empty', patchOf('*** Update File: a', '@@', '*** Delete File: b'), 4],
    ['a line without a mark', patchOf('*** Update File: a', '@@', '-x', 'y'), 5],
    ['a second chunk without @@', patchOf('*** Update File: a', '-x', '*** End of File', '-y'), 5],
    ['an empty line in the middle of a new file', patchOf('*** Add File: a', '+x', '', '+y'), 5],
  ])('rejects %s and names the line', (_name, text, line) => {
    const parsed = parsePatch(text)
    expect(parsed).toMatchObject({ ok: false, line })
  })

  it('never throws on arbitrary text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '*** Begin Patch',
        '*** End Patch',
        '*** Update File: a',
        '*** Add File: b',
        '*** Delete File: c',
      ),
      fc.constantFrom('*** Move to: d', '*** End of File', '@@', '@@ x', '', ' x', '+x', '-x', '<<EOF', 'EOF', '\r'),
      fc.string({ unit: codePoint }),
    )
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, wrapped) => {
        const text = wrapped ? patchOf(...lines) : lines.join('\n')
        const parsed = parsePatch(text)
        expect(parsed.ok || (parsed.line >= 1 && parsed.message !== '')).toBe(true)
      }),
    )
  })
})
