import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { readIndexNames } from '../../src/look-up/index-names.ts'

const names = [
  'a',
  'ä b.txt',
  'dir/a',
  'dir/deeper/long-name-of-a-file.txt',
  'dir/deeper/long-name-of-another.txt',
  'z',
]

async function index(...settings: readonly string[]): Promise<Buffer> {
  await using workspace = await tempWorkspace({ files: Object.fromEntries(names.map((name) => [name, name])) })
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: workspace.path, stdio: 'ignore' })
  git('init', '-q', ...settings.filter((word) => word.startsWith('--')))
  symlinkSync('a', join(workspace.path, 'link'))
  git('add', '-A')
  const version = settings.find((word) => /^\d$/.test(word))
  // Only a later version can say that a file is not in the work tree.
  if (version === '3') git('update-index', '--skip-worktree', 'a')
  else if (version !== undefined) git('update-index', '--index-version', version)
  return readFileSync(join(workspace.path, '.git/index'))
}

describe('the names in an index', () => {
  it.each([
    { what: 'version 2', settings: ['2'] },
    { what: 'version 3', settings: ['3'] },
    { what: 'version 4, whose names are packed', settings: ['4'] },
    { what: 'sha256', settings: ['--object-format=sha256'] },
    { what: 'sha256 and version 4', settings: ['--object-format=sha256', '4'] },
  ])('are read in $what, without links', async ({ settings }) => {
    const bytes = await index(...settings)
    expect([...(readIndexNames(bytes) ?? [])].sort()).toEqual([...names].sort())
  })

  it('are unknown where the index is cut, or is none', async () => {
    const bytes = await index('4')
    for (let length = 0; length < 200; length += 1) expect(readIndexNames(bytes.subarray(0, length))).toBe(null)
    expect(readIndexNames(Buffer.from('PACK'.repeat(20)))).toBe(null)
    const broken = Buffer.from(bytes)
    broken.fill(0xff, 12)
    expect(readIndexNames(broken)).toBe(null)
  })
})
