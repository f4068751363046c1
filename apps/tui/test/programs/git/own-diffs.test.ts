import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import { describe, expect, test } from 'vitest'
import { type Repository, repository } from './repository.ts'

/** Files of each repository here; `z.txt` comes last, and gets one more line. */
const files = { 'a.txt': 'one\ntwo\n', 'm.txt': '1\n2\n3\n4\n', 'run.sh': '#!/bin/sh\n', 'z.txt': 'z\n' }

const odd = 'q"uo\te\\d\nname'

interface Shape {
  readonly what: string
  /** Prepares the commit that is compared with. */
  readonly before?: (at: Repository) => void
  readonly change: (at: Repository) => void
  /** A line that the diff of the file has, by the name of the file. */
  readonly says: Readonly<Record<string, string>>
}

const link = (at: Repository, name: string, target = 'm.txt') => symlinkSync(target, join(at.path, name))
const remove = (at: Repository, ...names: readonly string[]) => {
  for (const name of names) rmSync(join(at.path, name), { recursive: true, force: true })
}

/** Puts another repository in, as the commit that a submodule is at. */
function addSubmodule(at: Repository, name: string): void {
  at.write(`${name}/inner.txt`, 'inner\n')
  at.git('-C', name, 'init', '-q')
  at.git('-C', name, 'add', '-A')
  at.git('-C', name, 'commit', '-qm', 'inner')
}

const latin1Name = (at: Repository) => Buffer.concat([Buffer.from(`${at.path}/caf`), Buffer.from([0xe9])])

const shapes: readonly Shape[] = [
  {
    what: 'a file became a link',
    change: (at) => {
      remove(at, 'a.txt')
      link(at, 'a.txt')
    },
    says: { 'a.txt': '… It was a file and is a link now.' },
  },
  {
    what: 'a link became a file',
    before: (at) => {
      remove(at, 'a.txt')
      link(at, 'a.txt')
    },
    change: (at) => {
      remove(at, 'a.txt')
      at.write('a.txt', 'own\n')
    },
    says: { 'a.txt': '… It was a link and is a file now.' },
  },
  {
    what: 'a file became a submodule',
    change: (at) => {
      remove(at, 'a.txt')
      addSubmodule(at, 'a.txt')
      at.git('add', 'a.txt')
    },
    says: { 'a.txt': '… It was a file and is a submodule now.' },
  },
  {
    what: 'a submodule became a file',
    before: (at) => {
      remove(at, 'a.txt')
      addSubmodule(at, 'a.txt')
    },
    change: (at) => {
      remove(at, 'a.txt')
      at.write('a.txt', 'own\n')
      at.git('add', 'a.txt')
    },
    says: { 'a.txt': '… It was a submodule and is a file now.' },
  },
  {
    what: 'two links and a file change places',
    before: (at) => {
      link(at, 'b.txt', 'a.txt')
      link(at, 'c.txt', 'a.txt')
    },
    change: (at) => {
      remove(at, 'b.txt', 'a.txt')
      at.write('b.txt', 'own\n')
      link(at, 'a.txt', 'c.txt')
    },
    says: { 'a.txt': '+c.txt', 'b.txt': '+own' },
  },
  {
    what: 'a mode and nothing else',
    change: (at) => chmodSync(join(at.path, 'run.sh'), 0o755),
    says: { 'run.sh': '… Its mode changes from 100644 to 100755: it is executable now.' },
  },
  {
    what: 'a name with a quote, a tab, a backslash and a line end',
    before: (at) => at.write(odd, 'o\n'),
    change: (at) => at.write(odd, 'o\nodd\n'),
    says: { [odd]: '+odd' },
  },
  {
    what: 'a name that is no UTF-8',
    before: (at) => writeFileSync(latin1Name(at), 'l\n'),
    change: (at) => writeFileSync(latin1Name(at), 'l\nlatin\n'),
    says: { 'caf\ufffd': '+latin' },
  },
  {
    what: 'a file whose lines end with CR, and look like heads of sections',
    change: (at) => at.write('a.txt', 'one\ntwo\nx\rdiff --git a/m.txt b/m.txt\r@@ -1 +1 @@\n'),
    says: { 'a.txt': '+x\rdiff --git a/m.txt b/m.txt\r@@ -1 +1 @@' },
  },
  {
    what: 'a renamed file, with another in its place',
    change: (at) => {
      renameSync(join(at.path, 'm.txt'), join(at.path, 'sub dir.txt'))
      at.write('m.txt', 'quite another\n')
      at.git('add', '-A')
    },
    says: { 'm.txt': '+quite another' },
  },
  {
    what: 'data that is no text',
    before: (at) => at.write('b.bin', '\0'),
    change: (at) => at.write('b.bin', '\0\x01'),
    says: { 'b.bin': '… Git takes it for no text.' },
  },
  {
    what: 'a file that two sides of a merge changed',
    before: (at) => {
      at.git('checkout', '-qb', 'other')
      at.write('a.txt', 'other\n')
      at.git('commit', '-qam', 'other')
      at.git('checkout', '-q', 'trunk')
      at.write('a.txt', 'ours\n')
      at.git('commit', '-qam', 'ours')
    },
    change: (at) => {
      try {
        at.git('merge', '-q', 'other')
      } catch {
        // It ends with 1, as there is a conflict.
      }
    },
    says: { 'a.txt': '+<<<<<<< HEAD' },
  },
]

/** Sums what `git diff --numstat` counts. */
function gitCounts(at: Repository, words: readonly string[]): readonly number[] {
  const rows = at.git('diff', '--numstat', '-z', '--find-renames', ...words).matchAll(/(?:^|\0)(\d+)\t(\d+)\t/g)
  return [...rows].reduce(
    ([more = 0, less = 0], [, added, gone]) => [more + Number(added), less + Number(gone)],
    [0, 0],
  )
}

function linesOf(diff: string, mark: '+' | '-'): number {
  return diff.split('\n').filter((line) => line.startsWith(mark)).length
}

/** Ways to name the same changes, and what git is asked for them. */
const spans: readonly { readonly name: string; readonly span: ReviewedChanges; readonly words: readonly string[] }[] = [
  { name: 'the work tree', span: { kind: 'workTree' }, words: ['HEAD'] },
  { name: 'a branch', span: { kind: 'branch', base: 'start' }, words: ['start'] },
  { name: 'a commit', span: { kind: 'commits', range: 'HEAD' }, words: ['HEAD~', 'HEAD'] },
]

describe('each file that differs has its own diff', () => {
  test.each(spans.flatMap((span) => shapes.map((shape) => ({ ...span, ...shape }))))(
    'in $name with $what',
    async ({ name, span, words, before, change, says }) => {
      await using at = await repository(files)
      before?.(at)
      at.git('add', '-A')
      at.git('commit', '-q', '--allow-empty', '-m', 'two')
      at.git('branch', 'start')
      change(at)
      at.write('z.txt', 'z\nlast\n')
      if (name === 'a commit') {
        at.git('add', '-A')
        at.git('commit', '-qm', 'three')
      }
      const found = await at.files('', span)
      const counted = found.map(({ additions, deletions }) => [additions, deletions])
      expect(found.map(({ diff }) => [linesOf(diff, '+'), linesOf(diff, '-')])).toEqual(counted)
      const sums = counted.reduce(([more = 0, less = 0], [added = 0, gone = 0]) => [more + added, less + gone], [0, 0])
      expect(sums).toEqual(gitCounts(at, words))
      for (const [path, line] of Object.entries({ ...says, 'z.txt': '+last' })) {
        const file = found.find((one) => (one.movedTo ?? one.path) === path)
        // What two sides changed is settled by the commit.
        if (name !== 'a commit' || !line.includes('<<<')) expect(file?.diff.split('\n')).toContain(line)
        expect(file?.isWhole).toBe(true)
      }
    },
  )

  test('text that attributes call binary is there, and data that is none is not', async () => {
    await using at = await repository({ 'a.js': 'one\n', 'old name.c': '1\n2\n3\n', 'p.png': '\0', 'q[a]*.js': 'q\n' })
    at.write('.gitattributes', '*.js -diff\n*.c binary\n')
    at.git('mv', 'old name.c', 'new.c')
    for (const [name, text] of [
      ['a.js', 'one\nkey\n'],
      ['new.c', '1\n2\n3\n4\n'],
      ['p.png', '\0\x01'],
      ['q[a]*.js', 'q\nr\n'],
    ] as const)
      at.write(name, text)
    const found = await at.files()
    expect(
      found.map(({ path, movedTo = path, additions, diff }) => [movedTo, additions, diff.split('\n').slice(0, 2)]),
    ).toEqual([
      ['a.js', 1, ['… Attributes of the repository call it no text; it is.', '@@ -1 +1,2 @@']],
      ['new.c', 1, ['… Attributes of the repository call it no text; it is.', '@@ -1,3 +1,4 @@']],
      ['p.png', 0, ['… Git takes it for no text.', '']],
      ['q[a]*.js', 1, ['… Attributes of the repository call it no text; it is.', '@@ -1 +1,2 @@']],
      ['.gitattributes', 2, ['@@ -0,0 +1,2 @@', '+*.js -diff']],
    ])
  })

  test('a diff that is too long says of each file whether lines are missing', async () => {
    await using at = await repository({ 'a.txt': '', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    at.write('a.txt', 'aa\n')
    at.write('b.txt', `${'x'.repeat(99)}\n`.repeat(50_000))
    at.write('c.txt', 'cc\n')
    const found = await at.files()
    expect(found.map(({ path, additions, isWhole }) => [path, additions, isWhole])).toEqual([
      ['a.txt', 1, true],
      ['b.txt', 50_000, false],
      ['c.txt', 1, false],
    ])
    expect(found[1]?.diff).toMatch(/^… Lines of it are missing here: the whole diff is too long\.\n@@ .*\n-b\n\+x/)
    expect(found[2]?.diff).toBe('… Lines of it are missing here: the whole diff is too long.\n')
  })
})

describe('what is staged', () => {
  test.each([
    {
      what: 'and undone',
      now: 'a\n',
      has: ['… This is staged and undone in the work tree: a commit would contain it.'],
    },
    {
      what: 'and another text now',
      now: 'b\n',
      has: ['… This is staged, and otherwise in the work tree: a commit would contain it.', '+staged'],
    },
    { what: 'with more than that in the work tree', now: 'a\nstaged\nmore\n', has: [] },
  ])('$what is there once', async ({ now, has }) => {
    await using at = await repository({ 'a.txt': 'a\n' })
    at.write('a.txt', 'a\nstaged\n')
    at.git('add', 'a.txt')
    at.write('a.txt', now)
    const found = await at.files()
    const staged = found.filter(({ shownBy }) => shownBy === 'git diff --cached HEAD -- a.txt')
    expect(staged).toHaveLength(has.length === 0 ? 0 : 1)
    for (const line of has) expect(staged[0]?.diff.split('\n')).toContain(line)
    expect(found.filter(({ shownBy }) => shownBy === 'git diff HEAD -- a.txt')).toHaveLength(now === 'a\n' ? 0 : 1)
  })

  test('is there of a new file that is gone from the work tree', async () => {
    await using at = await repository({})
    at.write('new.txt', 'key\n')
    at.git('add', 'new.txt')
    rmSync(join(at.path, 'new.txt'))
    expect(await at.files()).toMatchObject([{ path: 'new.txt', kind: 'add', diff: expect.stringContaining('+key') }])
  })
})
