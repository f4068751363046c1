import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import { patchOf, readTree, runPatch } from '../patch-run.ts'

const plain = patchOf('*** Update File: f.txt', '@@', ' a', '-b', '+B').trimEnd()
const diff = 'diff --git a/f.txt b/f.txt\nindex 1..2 100644\n--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n'
const mail = `From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n f.txt | 2 +-\n\n${diff}-- \n2.39.5\n\n`

describe('a patch in a form that is clear', () => {
  it.each([
    ['a code fence', `\`\`\`diff\n${plain}\n\`\`\``],
    ['a code fence without an end marker', `\`\`\`\n${plain.replace('\n*** End Patch', '')}\n\`\`\``],
    ['the word apply_patch above it', `apply_patch\n${plain}`],
    ['a sentence above and one below it', `Here is the patch:\n\n${plain}\n\nIt changes one line.`],
    ['no end marker', plain.replace('\n*** End Patch', '')],
    ['a heredoc without an end marker', `apply_patch <<'EOF'\n${plain.replace('\n*** End Patch', '')}\nEOF`],
    ['no markers', plain.split('\n').slice(1, -1).join('\n')],
    ['a line about the last line end', plain.replace('+B', '+B\n\\ No newline at end of file')],
    ['the paths of a diff below the header', plain.replace('f.txt\n', 'f.txt\n--- a/f.txt\n+++ b/f.txt\n')],
    ['a diff of git', diff],
    ['a diff of git in CRLF', diff.replaceAll('\n', '\r\n')],
    ['a diff of git between the markers', `*** Begin Patch\n${diff}*** End Patch`],
    ['a diff of git without its first lines', diff.split('\n').slice(2).join('\n')],
    ['a diff of git with the letters of the work tree', diff.replaceAll('a/f', 'i/f').replaceAll('b/f', 'w/f')],
    [
      'a diff of diff -u',
      diff.split('\n').slice(2).join('\n').replace('a/f.txt', 'f.txt\t2026-01-01 10:00').replace('b/f', 'f'),
    ],
    ['a mailed patch', mail],
  ])('%s', async (_name, text) => {
    await using folder = await tempWorkspace({ files: { 'f.txt': 'a\nb\n' } })
    expect(await runPatch(text, folder.path)).toMatchObject({ ok: true })
    expect(await readTree(folder.path)).toEqual({ 'f.txt': 'a\nB\n' })
  })

  it('of git adds, deletes and moves files, also with letters that git quotes', async () => {
    const text = [
      'diff --git a/new b/new',
      'new file mode 100644',
      'index 000..111',
      '--- /dev/null',
      '+++ b/new',
      '@@ -0,0 +1,2 @@',
      '+-- one',
      '++two',
      'diff --git a/empty b/empty',
      'new file mode 100644',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
      'diff --git a/old name b/d/new name',
      'similarity index 100%',
      'rename from old name',
      'rename to d/new name',
      String.raw`diff --git "a/\303\244" "b/\303\244"`,
      String.raw`--- "a/\303\244"`,
      String.raw`+++ "b/\303\244"`,
      '@@ -1 +1 @@',
      '-x',
      '+y',
    ].join('\n')
    await using folder = await tempWorkspace({ files: { gone: 'gone\n', 'old name': '1\n', ä: 'x\n' } })
    expect(await runPatch(text, folder.path)).toMatchObject({ ok: true })
    const tree = await readTree(folder.path)
    expect(tree).toEqual({ d: null, 'd/new name': '1\n', empty: '', new: '-- one\n+two\n', ä: 'y\n' })
  })

  it('keeps lines that only look like the paths of a diff', async () => {
    await using folder = await tempWorkspace({ files: { 'q.sql': '-- a/x\n1\n2\n' } })
    const patch = patchOf('*** Update File: q.sql', '--- a/x', '+++ b/x', '@@', '-2', '+3')
    expect(await runPatch(patch, folder.path)).toMatchObject({ ok: true })
    expect(await readTree(folder.path)).toEqual({ 'q.sql': '++ b/x\n1\n3\n' })
  })
})

describe('a diff that a patch cannot say', () => {
  it.each([
    ['a mode', 'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n', 'old mode 100644'],
    ['a program', 'diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n', '100755'],
    ['a link', 'diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n', '120000'],
    ['bytes', 'diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n', 'Binary files'],
    ['a copy', 'diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n', 'copy from x'],
    ['no name', 'diff --git a/x b/y\n@@ -1 +1 @@\n-a\n+b\n', 'which file'],
  ])('is refused for %s, with the reason', (_name, text, words) => {
    expect(parsePatch(text)).toMatchObject({ ok: false, line: 1, message: expect.stringContaining(words) })
  })
})
