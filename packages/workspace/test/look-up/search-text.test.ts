import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'
import { diskFiles } from '../../src/files/disk-files.ts'
import { runUnconfined } from '../../src/look-up/local-ripgrep.ts'
import type { Ripgrep } from '../../src/look-up/ripgrep-run.ts'
import { searchFileNames, searchText, type TextSearch } from '../../src/look-up/search-text.ts'

function programAt(...command: readonly [string, ...string[]]): Ripgrep {
  return { command, run: runUnconfined }
}

const ripgrep = programAt(rgPath)

async function search(cwd: string, pattern: string, options: Partial<TextSearch> = {}) {
  return await searchText({ files: diskFiles, ripgrep, cwd, path: cwd, shownPath: '.', pattern, ...options })
}

async function textOf(cwd: string, pattern: string, options: Partial<TextSearch> = {}): Promise<string> {
  const outcome = await search(cwd, pattern, options)
  return outcome.kind === 'searched' ? outcome.text : outcome.message
}

describe('searchText', () => {
  it('shows matches under their file, sorted by path', async () => {
    await using workspace = await tempWorkspace({ files: { 'b.ts': 'x foo\n', 'a/c.ts': 'foo\nbar\nfoo bar\n' } })
    expect(await search(workspace.path, 'fo+')).toEqual({
      kind: 'searched',
      text: 'a/c.ts\n1:foo\n3:foo bar\n\nb.ts\n1:x foo',
      shown: 3,
      leftOut: 0,
      complete: true,
    })
  })

  it('shows context lines and separates groups', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'x\nfoo\ny\n1\n2\n3\nfoo\n' } })
    expect(await textOf(workspace.path, 'foo', { contextLines: 1 })).toBe('a\n1-x\n2:foo\n3-y\n--\n6-3\n7:foo')
  })

  it('searches plain text and ignores case on request', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'a.b\naxb\nA.B\n' } })
    expect(await textOf(workspace.path, 'a.b', { literal: true })).toBe('a\n1:a.b')
    expect(await textOf(workspace.path, 'a.b', { literal: true, ignoreCase: true })).toBe('a\n1:a.b\n3:A.B')
  })

  it('applies globs, includes hidden files and skips ignored ones and .git', async () => {
    const files = {
      '.gitignore': 'out\n',
      'out/a.ts': 'foo\n',
      '.hidden/a.ts': 'foo\n',
      '.git/a.ts': 'foo\n',
      'a.js': 'foo\n',
    }
    await using workspace = await tempWorkspace({ files })
    expect(await textOf(workspace.path, 'foo')).toBe('.hidden/a.ts\n1:foo\n\na.js\n1:foo')
    expect(await textOf(workspace.path, 'foo', { globs: ['*.ts'] })).toBe('.hidden/a.ts\n1:foo')
    expect(await textOf(workspace.path, 'foo', { globs: ['!*.js'], includeIgnored: true })).toBe(
      '.hidden/a.ts\n1:foo\n\nout/a.ts\n1:foo',
    )
  })

  it('states how many matches it left out', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'foo\nctx\n'.repeat(10), b: 'foo\n' } })
    expect(await search(workspace.path, 'foo', { maxShown: 2, contextLines: 1 })).toEqual({
      kind: 'searched',
      text: 'a\n1:foo\n2-ctx\n3:foo\n4-ctx\n[9 more matches not shown; narrow the search]',
      shown: 2,
      leftOut: 9,
      complete: true,
    })
  })

  it('stops counting at the limit and says so', async () => {
    await using workspace = await tempWorkspace({ files: { a: `foo ${'x'.repeat(400)}\n`.repeat(40_000) } })
    const outcome = await search(workspace.path, 'foo')
    expect(outcome).toMatchObject({ complete: false, text: expect.stringContaining('[at least ') })
  })

  it('clips long lines', async () => {
    await using workspace = await tempWorkspace({ files: { a: `foo${'x'.repeat(100_000)}\n` } })
    expect((await textOf(workspace.path, 'foo')).length).toBeLessThan(600)
  })

  it('accepts patterns and names that look like options', async () => {
    await using workspace = await tempWorkspace({ files: { '--files': '-v\n', 'line\nbreak': '-v\n' } })
    expect(await textOf(workspace.path, '-v')).toBe('--files\n1:-v\n\nline\\u000abreak\n1:-v')
    expect(await textOf(workspace.path, '-v', { path: join(workspace.path, '--files') })).toBe('--files\n1:-v')
  })

  it('shows the matches before binary data without the note of ripgrep', async () => {
    await using workspace = await tempWorkspace({ files: { a: `foo\n${'x\n'.repeat(50_000)}\0\nfoo\n`, b: 'foo\n' } })
    expect(await textOf(workspace.path, 'foo')).toBe('a\n1:foo\n\nb\n1:foo')
  })

  it('does not follow links', async () => {
    await using outside = await tempWorkspace({ files: { secret: 'foo\n' } })
    await using workspace = await tempWorkspace()
    await symlink(outside.path, join(workspace.path, 'out'))
    expect(await textOf(workspace.path, 'foo')).toBe('No matches found.')
  })

  it('says that there are no matches', async () => {
    await using workspace = await tempWorkspace({ files: { a: 'x\n' } })
    expect(await search(workspace.path, 'foo')).toMatchObject({ text: 'No matches found.', shown: 0, complete: true })
  })

  it.each([
    ['fo(o', {}, 'The pattern is not a valid regular expression: unclosed group.'],
    ['a\\nb', {}, 'The pattern is not a valid regular expression: the literal "\\n" is not allowed in a regex.'],
    ['foo', { globs: ['['] }, "The glob [ is not valid: unclosed character class; missing ']'."],
  ])('explains %s %j in one sentence', async (pattern, options, message) => {
    await using workspace = await tempWorkspace({ files: { a: 'x\n' } })
    expect(await search(workspace.path, pattern, options)).toEqual({ kind: 'failed', message })
  })

  it('explains a missing path', async () => {
    await using workspace = await tempWorkspace({ files: { 'src/a': '' } })
    const missing = { path: join(workspace.path, 'srcs'), shownPath: 'srcs' }
    expect(await textOf(workspace.path, 'x', missing)).toBe('srcs does not exist. Similar names there: src/.')
  })

  it('explains a missing program', async () => {
    await using workspace = await tempWorkspace()
    const outcome = await search(workspace.path, 'x', { ripgrep: programAt(join(workspace.path, 'rg')) })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('could not be started') })
  })

  it('stops at the time limit and on abort', async () => {
    await using workspace = await tempWorkspace()
    execFileSync('mkfifo', [join(workspace.path, 'pipe')])
    // Stands in for ripgrep and never ends.
    const waiting = programAt('/bin/sh', '-c', 'read line < pipe', 'sh')
    const timed = await search(workspace.path, 'x', { ripgrep: waiting, timeLimitMs: 50 })
    expect(timed).toMatchObject({ complete: false, text: expect.stringContaining('stopped at the time limit') })
    const abort = new AbortController()
    const running = search(workspace.path, 'x', { ripgrep: waiting, signal: abort.signal })
    abort.abort()
    expect(await running).toEqual({ kind: 'failed', message: 'The search was interrupted.' })
  })

  it('starts the program with an empty environment', async () => {
    await using workspace = await tempWorkspace()
    const outcome = await search(workspace.path, 'x', {
      ripgrep: programAt('/bin/sh', '-c', 'echo "$HOME$USER" >&2; exit 2', 'sh'),
    })
    expect(outcome).toMatchObject({ message: 'The search program failed without an error message.' })
  })
})

describe('searchFileNames', () => {
  it('lists the files that match the globs', async () => {
    await using workspace = await tempWorkspace({ files: { 'b/x.ts': '', 'a.ts': '', 'a.js': '' } })
    const place = { files: diskFiles, ripgrep, cwd: workspace.path, path: workspace.path, shownPath: '.' }
    expect(await searchFileNames({ ...place, globs: ['*.ts'] })).toMatchObject({ text: 'a.ts\nb/x.ts', shown: 2 })
    expect(await searchFileNames({ ...place, globs: [], maxShown: 1 })).toMatchObject({
      text: 'a.js\n[2 more files not shown; narrow the search]',
      leftOut: 2,
    })
    expect(await searchFileNames({ ...place, globs: ['*.md'] })).toMatchObject({
      text: 'No files found.\n[no file fits the globs, which count from the working directory]',
    })
  })
})
