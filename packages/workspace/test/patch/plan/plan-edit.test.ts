import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import type { FileEdit } from '../../../src/patch/plan/plan-edit.ts'
import { type PlanOutcome, planPatch } from '../../../src/patch/plan/plan-patch.ts'

type Asked = Partial<Extract<FileEdit, { kind: 'replace' }>>

async function replaced(content: string | null, asked: Asked, more = {}): Promise<PlanOutcome> {
  await using workspace = await tempWorkspace({ files: content === null ? {} : { a: content } })
  const edit = { kind: 'replace', path: 'a', old: '', new: '', all: false, ...asked } as const
  return await planPatch({ changes: [edit], cwd: workspace.path, files: diskPatchFiles, ...more })
}

async function written(content: string | null, text: string, more = {}): Promise<PlanOutcome> {
  await using workspace = await tempWorkspace({ files: content === null ? {} : { a: content } })
  const edit = { kind: 'write', path: 'a', content: text } as const
  return await planPatch({ changes: [edit], cwd: workspace.path, files: diskPatchFiles, ...more })
}

function textOf(outcome: PlanOutcome): string {
  if (!outcome.ok) return outcome.failures.map(({ code, message }) => `${code}: ${message}`).join('\n')
  return Buffer.from(outcome.plans[0]?.after?.bytes ?? []).toString()
}

describe('a replaced text', () => {
  it('is replaced where it is there once', async () => {
    const outcome = await replaced('one\ntwo\nthree\n', { old: 'two', new: '2' })
    expect(textOf(outcome)).toBe('one\n2\nthree\n')
    expect(outcome).toMatchObject({ plans: [{ kind: 'update', additions: 1, deletions: 1 }] })
  })

  it('is refused where it is there twice, with the lines, unless all are asked for', async () => {
    expect(textOf(await replaced('x\ny\nx\n', { old: 'x', new: 'z' }))).toBe(
      'ambiguousPlace: The text to replace is in a 2 times, at line 1, 3. Give more of the text around the one you mean, or replace all of them with all: true.',
    )
    expect(textOf(await replaced('aaa\n', { old: 'aa', new: 'b' }))).toContain('2 times')
    expect(textOf(await replaced('x\ny\nx\n', { old: 'x', new: 'z', all: true }))).toBe('z\ny\nz\n')
  })

  it('is replaced once where each place makes the same file', async () => {
    expect(textOf(await replaced('a\nx\nx\nx\nb\n', { old: 'x\n', new: '' }))).toBe('a\nx\nx\nb\n')
    expect(textOf(await replaced('aaa\n', { old: 'aa', new: 'a' }))).toBe('aa\n')
    expect(textOf(await replaced('x\r\nx\r\n', { old: 'x\n', new: '' }))).toBe('x\r\n')
    expect(textOf(await replaced('x\nx\ny\nx\n', { old: 'x\n', new: '' }))).toContain('3 times, at line 1, 2, 4')
  })

  it('is refused where it is not there, with the nearest lines', async () => {
    const problem = textOf(await replaced('function sum(a, b) {\n}\n', { old: 'function sum(a,b,c) {', new: 'x' }))
    expect(problem).toContain('linesNotFound: Failed to find the text to replace in a.\nThe nearest lines')
    const unquoted = await replaced('x1 = 1\nx1 = 1\n', { old: 'x1 = 1', new: '2' }, { mayQuote: () => false })
    expect(textOf(unquoted)).toBe(
      'ambiguousPlace: The text to replace is in a more than once. Give more of the text around the one you mean, or replace all of them with all: true.',
    )
  })

  it('takes marks such as $& as they are', async () => {
    expect(textOf(await replaced('a b\n', { old: 'b', new: '$& $1 $$' }))).toBe('a $& $1 $$\n')
  })

  it('may have either line end in a file with CRLF, which keeps its own', async () => {
    expect(textOf(await replaced('a\r\nb\r\nc\r\n', { old: 'a\nb', new: 'x\ny\nz' }))).toBe('x\r\ny\r\nz\r\nc\r\n')
    expect(textOf(await replaced('a\r\nb\r\n', { old: 'a\r\nb', new: 'c' }))).toBe('c\r\n')
    expect(textOf(await replaced('a\r\nb\nc\n', { old: 'b\nc', new: 'd' }))).toBe('a\r\nd\n')
    expect(textOf(await replaced('\uFEFFa\n', { old: 'a', new: 'b' }))).toBe('\uFEFFb\n')
  })

  it('may be nothing in a missing or empty file only', async () => {
    expect(textOf(await replaced(null, { old: '', new: 'x\n' }))).toBe('x\n')
    expect(textOf(await replaced('', { old: '', new: 'x\n' }))).toBe('x\n')
    expect(textOf(await replaced('a\n', { old: '', new: 'x\n' }))).toContain('linesNotFound')
    expect(textOf(await replaced('a\n', { old: 'a', new: 'a' }))).toContain('nothingToDo')
    expect(textOf(await replaced(null, { old: 'a', new: 'b' }))).toContain('missingFile')
    expect(textOf(await replaced('a\0b', { old: 'a', new: 'b' }))).toContain('notText')
  })
})

describe('a whole file', () => {
  it('is made or replaced', async () => {
    expect(await written(null, 'x\n')).toMatchObject({ plans: [{ kind: 'add', diff: expect.stringContaining('+x') }] })
    const outcome = await written('old\n', 'new')
    expect(outcome).toMatchObject({ plans: [{ kind: 'update', diff: expect.stringContaining('-old\n+new') }] })
    expect(textOf(outcome)).toBe('new')
  })

  it('is refused where the file has that content already', async () => {
    expect(textOf(await written('a\r\n', 'a\n'))).toBe(
      'nothingToDo: a has this content already, so there is nothing to do.',
    )
  })

  it('keeps line ends and byte order mark of the file it replaces', async () => {
    expect(textOf(await written('\uFEFFa\r\nb\r\n', 'c\nd\n'))).toBe('\uFEFFc\r\nd\r\n')
    expect(textOf(await written('a\nb\r\n', 'c\nd\n'))).toBe('c\nd\n')
  })

  it('is written through a link, and not over a folder', async () => {
    await using workspace = await tempWorkspace({ files: { 'd/real': '1\n' } })
    await symlink('d/real', join(workspace.path, 'link'))
    const plan = (path: string) =>
      planPatch({ changes: [{ kind: 'write', path, content: '2\n' }], cwd: workspace.path, files: diskPatchFiles })
    expect(await plan('link')).toMatchObject({ plans: [{ path: { real: join(workspace.path, 'd/real') } }] })
    expect(await plan('d')).toMatchObject({ ok: false, failures: [{ code: 'notAFile' }] })
    expect(await plan('d/real/x')).toMatchObject({ ok: false, failures: [{ code: 'notAFile' }] })
    expect(await readFile(join(workspace.path, 'd/real'), 'utf8')).toBe('1\n')
  })
})

describe('marks of secrets', () => {
  const mark = '[secret:npm:0123abcd]'
  const secretsIn = (text: string) => new Map(text.includes('hush') ? [[mark, 'hush']] : [])

  it('stand for the secrets of the file itself', async () => {
    const edit = { old: `key=${mark}`, new: `token=${mark}` }
    expect(textOf(await replaced('key=hush\n', edit, { secretsIn }))).toBe('token=hush\n')
    expect(textOf(await written('key=hush\n', `token=${mark}\n`, { secretsIn }))).toBe('token=hush\n')
  })

  it('are not written in place of another secret', async () => {
    expect(textOf(await replaced('key=\n', { old: 'key=', new: `key=${mark}` }, { secretsIn }))).toContain(
      'unknownMark',
    )
    expect(textOf(await written(null, mark, { secretsIn }))).toContain('unknownMark')
  })
})
