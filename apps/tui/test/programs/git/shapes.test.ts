import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RepositoryShape, repositoryShapes, shapedRepository, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { readGitChanges } from '../../../src/programs/git/git-changes.ts'

/** Shapes at which git itself does not wait for ever. */
const names = Object.keys(repositoryShapes).filter((name): name is RepositoryShape => {
  return name in repositoryShapes && name !== 'rule files that are pipes'
})
const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

/** Returns what git prints; null where it fails. */
function git(folder: string, ...words: readonly string[]): string | null {
  try {
    return execFileSync('git', words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  } catch {
    return null
  }
}

const counts = (text: string) => [...text.matchAll(/^(\d+)\t(\d+)\t/gm)].map(([, added, gone]) => [added, gone]).sort()

test.each(names)(
  'the changes in a folder of the shape %s are those that git counts, or it is said that none are known',
  async (shape) => {
    await using root = await tempDirectory()
    const { folder } = await shapedRepository(shape, root.path)
    writeFileSync(join(folder, 'f.txt'), 'one\ntwo\n')
    writeFileSync(join(folder, 'quite-new.txt'), 'new\n')
    const changes = await readGitChanges(folder, env)
    const commit =
      git(folder, 'rev-parse', '--verify', '-q', 'HEAD')?.trim() ?? '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
    const counted = git(folder, 'diff', '--numstat', '--find-renames', commit)
    if (counted === null) return expect(changes).toMatchObject({ kind: 'problem' })
    if (changes.kind === 'problem') throw new Error(changes.text)
    const tracked = changes.files.filter(({ shownBy }) => shownBy.startsWith('git diff'))
    expect(tracked.map(({ additions, deletions }) => [String(additions), String(deletions)]).sort()).toEqual(
      counts(counted),
    )
    expect(changes.files).toContainEqual(expect.objectContaining({ path: 'quite-new.txt', additions: 1 }))
  },
)
