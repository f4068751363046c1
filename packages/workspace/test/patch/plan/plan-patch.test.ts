import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import { contentHash } from '../../../src/patch/file-plan.ts'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import { planPatch } from '../../../src/patch/plan/plan-patch.ts'
import { failureCodes, patchOf, plansOf, planText, readTree, runPatch } from '../patch-run.ts'

describe('planPatch', () => {
  it('plans old content, new content and diff of each file', async () => {
    await using workspace = await tempWorkspace({ files: { 'a.txt': '1\n2\n3\n4\n5\n', 'b.txt': 'b\n' } })
    const text = patchOf(
      '*** Update File: a.txt',
      '-5',
      '+V',
      '+VI',
      '*** Delete File: b.txt',
      '*** Add File: c/d.txt',
      '+c',
    )
    const plans = await plansOf(text, workspace.path)
    expect(plans.map(({ kind, path, additions, deletions }) => [kind, path.written, additions, deletions])).toEqual([
      ['update', 'a.txt', 2, 1],
      ['delete', 'b.txt', 0, 1],
      ['add', 'c/d.txt', 1, 0],
    ])
    expect(plans.map(({ diff }) => diff)).toEqual([
      '--- a.txt\n+++ a.txt\n@@ -2,4 +2,5 @@\n 2\n 3\n 4\n-5\n+V\n+VI\n',
      '--- b.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b\n',
      '--- /dev/null\n+++ c/d.txt\n@@ -0,0 +1,1 @@\n+c\n',
    ])
    expect(plans[0]?.before?.hash).toBe(contentHash('1\n2\n3\n4\n5\n'))
    expect(plans[0]?.after?.hash).toBe(contentHash('1\n2\n3\n4\nV\nVI\n'))
    expect(plans[2]?.path.real).toBe(join(workspace.path, 'c/d.txt'))
  })

  it('writes nothing', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    await plansOf(patchOf('*** Update File: a', '-1', '+2', '*** Add File: b/c', '+x'), workspace.path)
    expect(await readTree(workspace.path)).toEqual({ a: '1\n' })
  })

  it('accepts absolute paths and dots', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    const [plan] = await plansOf(
      patchOf(`*** Update File: ${workspace.path}/x/../a`, '-1', '+2'),
      join(workspace.path, 'x'),
    )
    expect(plan?.path.real).toBe(join(workspace.path, 'a'))
  })

  it('reports the failures of all files', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n', b: '1\n', 'd/x': '' } })
    const text = patchOf(
      ...['*** Update File: a', '-9', '*** Update File: gone', '-1', '*** Add File: b', '+x'],
      ...['*** Delete File: d', '*** Delete File: nope', '*** Add File: a/below', '*** Add File: fine'],
    )
    expect(await failureCodes(text, workspace.path)).toEqual([
      ...['linesNotFound', 'missingFile', 'fileExists', 'notAFile', 'missingFile', 'notAFile'],
    ])
  })

  it('suggests files similar to a missing one', async () => {
    await using workspace = await tempWorkspace({ files: { 'src/parser.ts': '' } })
    const run = await runPatch(patchOf('*** Update File: src/parsers.ts', '-1'), workspace.path)
    expect(run.text).toBe('src/parsers.ts does not exist. Similar names there: parser.ts.\nNo file was changed.')
  })

  it('skips hunks after a failed one on the same file', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    const text = patchOf('*** Update File: a', '-9', '+8', '*** Update File: a', '-8')
    expect(await failureCodes(text, workspace.path)).toEqual(['linesNotFound'])
  })

  it.each([
    ['two updates', ['*** Update File: a', '-1', '+2', '*** Update File: a', '-2', '+3'], { a: '3\n' }],
    ['add and update', ['*** Add File: n', '+1', '*** Update File: n', '-1', '+2'], { a: '1\n', n: '2\n' }],
    ['delete and add', ['*** Delete File: a', '*** Add File: a', '+9'], { a: '9\n' }],
    ['add and delete', ['*** Add File: n', '+1', '*** Delete File: n'], { a: '1\n' }],
    ['move and update', ['*** Update File: a', '*** Move to: b', '*** Update File: b', '-1', '+2'], { b: '2\n' }],
    ['move twice', ['*** Update File: a', '*** Move to: b', '*** Update File: b', '*** Move to: c'], { c: '1\n' }],
    [
      'move away and back',
      ['*** Update File: a', '*** Move to: b', '*** Update File: b', '*** Move to: a'],
      { a: '1\n' },
    ],
    ['move and replace', ['*** Update File: a', '*** Move to: b', '*** Add File: a', '+2'], { a: '2\n', b: '1\n' }],
    ['move onto itself', ['*** Update File: a', '*** Move to: ./a', '-1', '+2'], { a: '2\n' }],
    ['add, move', ['*** Add File: n', '+n', '*** Update File: n', '*** Move to: m'], { a: '1\n', m: 'n\n' }],
  ])('composes hunks on the same file: %s', async (_name, lines, expected) => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    expect(await runPatch(patchOf(...lines), workspace.path)).toMatchObject({ ok: true })
    expect(await readTree(workspace.path)).toEqual(expected)
  })

  it.each([
    ['an update of what was deleted', ['*** Delete File: a', '*** Update File: a', '-1'], ['missingFile']],
    ['a file below a file', ['*** Add File: n', '+1', '*** Add File: n/m', '+1'], ['notAFile']],
    ['control characters in a path', ['*** Add File: a\u001b[2J', '+1'], ['badPath']],
    ['no hunks', [], ['nothingToDo']],
    ['what is no patch', ['*** What'], ['invalidPatch']],
  ])('rejects %s', async (_name, lines, codes) => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    expect(await failureCodes(patchOf(...lines), workspace.path)).toEqual(codes)
  })

  it('rejects updates of files that are not text but allows moves and deletions', async () => {
    const files = { nul: Buffer.from('a\0b'), latin: Buffer.from([0x61, 0xe9, 0x0a]) }
    await using workspace = await tempWorkspace({ files })
    for (const path of ['nul', 'latin']) {
      expect(await failureCodes(patchOf(`*** Update File: ${path}`, '+x'), workspace.path)).toEqual(['notText'])
    }
    const text = patchOf('*** Update File: nul', '*** Move to: moved', '*** Delete File: latin')
    expect(await runPatch(text, workspace.path)).toMatchObject({ ok: true })
    expect(await readTree(workspace.path)).toEqual({ moved: 'a\0b' })
  })

  it('updates the target of a link and does not move a link', async () => {
    await using workspace = await tempWorkspace({ files: { real: '1\n' } })
    await symlink('real', join(workspace.path, 'link'))
    const [plan] = await plansOf(patchOf('*** Update File: link', '-1', '+2'), workspace.path)
    expect(plan?.path).toEqual({ written: 'link', real: join(workspace.path, 'real') })
    const move = patchOf('*** Update File: link', '*** Move to: b')
    expect(await failureCodes(move, workspace.path)).toEqual(['symbolicLink'])
  })

  it('deletes a link and leaves what it leads to', async () => {
    await using workspace = await tempWorkspace({ files: { real: '1\n', 'd/x': 'x\n' } })
    await symlink('real', join(workspace.path, 'link'))
    await symlink('nowhere', join(workspace.path, 'dangling'))
    await symlink('d', join(workspace.path, 'folder'))
    const patch = patchOf('*** Delete File: link', '*** Delete File: dangling', '*** Delete File: folder')
    const [plan] = await plansOf(patch, workspace.path)
    expect(plan).toMatchObject({
      kind: 'delete',
      link: true,
      path: { real: join(workspace.path, 'link') },
      diff: '--- link\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-real\n\\ No newline at end of file\n',
    })
    expect(await runPatch(patch, workspace.path)).toMatchObject({ ok: true })
    expect(await readTree(workspace.path)).toEqual({ d: null, 'd/x': 'x\n', real: '1\n' })
  })

  it('calls refusal with the real path before it reads', async () => {
    await using workspace = await tempWorkspace({ files: { 'secret/key': 'hush\n' } })
    await symlink('secret', join(workspace.path, 'open'))
    const parsed = parsePatch(patchOf('*** Update File: open/key', '-x'))
    const asked: string[] = []
    const outcome = await planPatch({
      changes: parsed.ok ? parsed.hunks : [],
      cwd: workspace.path,
      files: { ...diskPatchFiles, readFile: () => Promise.reject(new Error('it was read')) },
      refusal: (path) => {
        asked.push(path)
        return 'That file is masked.'
      },
    })
    expect(outcome).toMatchObject({ ok: false, failures: [{ code: 'notAllowed', message: 'That file is masked.' }] })
    expect(asked).toEqual([join(workspace.path, 'secret/key')])
  })

  it('rejects a read-only file', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    await chmod(join(workspace.path, 'a'), 0o444)
    const stat = diskPatchFiles.stat
    const asOrdinaryUser = {
      ...diskPatchFiles,
      stat: async (path: string) => {
        const found = await stat(path)
        return found === null ? null : { ...found, writable: (found.mode & 0o200) !== 0 }
      },
    }
    const outcome = await planText(patchOf('*** Update File: a', '-1', '+2'), workspace.path, asOrdinaryUser)
    expect(outcome).toMatchObject({ ok: false, failures: [{ code: 'readOnlyFile' }] })
  })

  it('reports a folder without permission as a failure of the file', async () => {
    await using workspace = await tempWorkspace()
    await mkdir(join(workspace.path, 'd'))
    await symlink('loop', join(workspace.path, 'loop'))
    await writeFile(join(workspace.path, 'x'), '')
    expect(await failureCodes(patchOf('*** Update File: loop/x', '-1'), workspace.path)).toEqual(['fileError'])
  })
})
