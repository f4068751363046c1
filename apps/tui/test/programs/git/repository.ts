import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import { tempDirectory } from '@parley/testkit'
import { type Changes, readGitChanges } from '../../../src/programs/git/git-changes.ts'

/** A repository with files that are committed. */
export async function repository(files: Readonly<Record<string, string>>) {
  const folder = await tempDirectory()
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      cwd: folder.path,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString('latin1')
  const write = (name: string, text: string) => {
    mkdirSync(join(folder.path, name, '..'), { recursive: true })
    writeFileSync(join(folder.path, name), text)
  }
  const read = (below = '', span?: ReviewedChanges) => readGitChanges(join(folder.path, below), env, span)
  git('init', '-q', '-b', 'trunk')
  for (const [name, text] of Object.entries(files)) write(name, text)
  git('add', '-A')
  git('commit', '-q', '--allow-empty', '-m', 'one')
  return {
    path: folder.path,
    env,
    git,
    write,
    read,
    /** Returns the files that differ; fails where git could not tell. */
    async files(below = '', span?: ReviewedChanges): Promise<Changes['files']> {
      const changes = await read(below, span)
      if (changes.kind === 'problem') throw new Error(changes.text)
      return changes.files
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

export type Repository = Awaited<ReturnType<typeof repository>>
