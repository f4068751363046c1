import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { applyPatch, parsePatch as parseUnified, reversePatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePatch } from '../../src/patch/parse/parse-patch.ts'
import { applyChunks } from '../../src/patch/place/apply-chunks.ts'
import { decodeTextFile, encodeTextFile } from '../../src/patch/place/text-file.ts'
import { diffFile } from '../../src/patch/plan/file-diff.ts'
import { patchOf, plansOf, planText, readTree, runPatch } from './patch-run.ts'

const line = fc.constantFrom('', 'a', 'b', '  indented', '- list', '+ plus', '@@ at', '*** stars', 'ünï “q”', 'x\ty')
const content = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([lines, end, closed, marked]) => {
    const text = lines.join(end) + (closed && lines.length > 0 ? end : '')
    return (marked ? '\uFEFF' : '') + text
  })

/** Edit of a whole file: for each old line whether it is kept, and the lines inserted before it. */
const edit = fc.array(fc.record({ keep: fc.boolean(), added: fc.array(line, { maxLength: 2 }) }), {
  minLength: 13,
  maxLength: 13,
})

interface Edited {
  readonly chunk: readonly string[]
  readonly expected: string
}

function editWhole(text: string, steps: readonly { keep: boolean; added: readonly string[] }[]): Edited {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const body = text.slice(mark.length)
  const closed = body === '' || body.endsWith('\n')
  const old = body === '' ? [] : body.replace(/\r?\n$/, '').split(end)
  const chunk: string[] = []
  const result: string[] = []
  old.forEach((current, index) => {
    const step = steps[index]
    for (const added of step?.added ?? []) {
      chunk.push(`+${added}`)
      result.push(added)
    }
    chunk.push(`${step?.keep ? ' ' : '-'}${current}`)
    if (step?.keep) result.push(current)
  })
  for (const added of steps[old.length]?.added ?? []) {
    chunk.push(`+${added}`)
    result.push(added)
  }
  return { chunk, expected: mark + result.join(end) + (closed && result.length > 0 ? end : '') }
}

describe('laws of a patch', () => {
  it('applies any edit, written as a chunk, exactly', () => {
    fc.assert(
      fc.property(content, edit, (text, steps) => {
        const { chunk, expected } = editWhole(text, steps)
        fc.pre(chunk.length > 0)
        const parsed = parsePatch(patchOf('*** Update File: a', '@@', ...chunk))
        const decoded = decodeTextFile(Buffer.from(text))
        const hunk = parsed.ok ? parsed.hunks[0] : undefined
        if (!decoded.ok || hunk?.kind !== 'update') throw new Error('the patch was not understood')
        const placed = applyChunks('a', decoded.file, hunk.chunks)
        expect(placed.ok && Buffer.from(encodeTextFile(placed.file)).toString()).toBe(expected)
      }),
    )
  })

  it('restores the old file when the recorded diff is reversed', async () => {
    await using workspace = await tempWorkspace()
    await fc.assert(
      fc.asyncProperty(content, edit, async (text, steps) => {
        await using folder = await tempWorkspace({ files: { a: text } })
        const { chunk } = editWhole(text, steps)
        fc.pre(chunk.length > 0)
        const patch = patchOf('*** Update File: a', '@@', ...chunk)
        const [plan] = await plansOf(patch, folder.path)
        expect(await runPatch(patch, folder.path)).toMatchObject({ ok: true })
        const now = await readFile(join(folder.path, 'a'), 'utf8')
        const [unified] = parseUnified(plan?.diff ?? '')
        if (unified === undefined) throw new Error('there is no difference')
        expect(applyPatch(now, reversePatch(unified), { autoConvertLineEndings: false })).toBe(text)
        expect(plan?.additions).toBe(countMarked(plan?.diff, '+'))
        expect(plan?.deletions).toBe(countMarked(plan?.diff, '-'))
      }),
      { numRuns: 40 },
    )
    expect(await readTree(workspace.path)).toEqual({})
  })

  it('changes nothing when any part of the plan fails', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n2\n', b: 'b\n', 'd/c': 'c\n' } })
    const good = fc.constantFrom(
      ['*** Update File: a', '-1', '+x'],
      ['*** Delete File: b'],
      ['*** Add File: e/f', '+f'],
      ['*** Update File: d/c', '*** Move to: d/d', '-c', '+d'],
    )
    const bad = fc.constantFrom(
      ['*** Update File: d/c', '-nowhere'],
      ['*** Add File: b', '+x'],
      ['*** Delete File: zz'],
    )
    const untouched = await readTree(workspace.path)
    await fc.assert(
      fc.asyncProperty(
        fc.array(good, { maxLength: 4 }),
        bad,
        fc.array(good, { maxLength: 2 }),
        async (one, two, three) => {
          const patch = patchOf(...[...one, two, ...three].flat())
          const outcome = await planText(patch, workspace.path)
          fc.pre(!outcome.ok)
          expect(await runPatch(patch, workspace.path)).toMatchObject({ ok: false })
          expect(await readTree(workspace.path)).toEqual(untouched)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('writes a diff too large to minimize as one valid hunk', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `old ${index}`)
    const after = Array.from({ length: 2500 }, (_, index) => `new ${index}`)
    const [oldText, newText] = [`same\n${before.join('\n')}\nend`, `same\n${after.join('\n')}\nend`]
    const sides = { oldPath: 'a', newPath: 'a', before: Buffer.from(oldText), after: Buffer.from(newText) }
    const { diff, additions, deletions } = diffFile(sides)
    expect([additions, deletions]).toEqual([2500, 3000])
    expect(applyPatch(oldText, diff)).toBe(newText)
  })
})

function countMarked(diff: string | undefined, mark: string): number {
  const [, ...body] = (diff ?? '').split(/^@@.*@@$/m)
  return body
    .join('')
    .split('\n')
    .filter((text) => text.startsWith(mark)).length
}
