import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import { type Git, isEmptyAnswer, isProblem, problemText, textOf } from './safe-git.ts'

/** Two states of a repository: names of commits or trees, null for the work tree. */
interface FoundSpan {
  readonly from: string
  readonly to: string | null
}

/** Error about a span, in a sentence for people. */
export class SpanError extends Error {}

/** Tree without files, which git knows in every repository. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Finds the two states to compare. Throws `SpanError` for an unknown name. */
export async function findSpan(git: Git, folder: string, span: ReviewedChanges): Promise<FoundSpan> {
  const commits = createCommits(git, folder)
  switch (span.kind) {
    case 'workTree':
      return { from: (await commits.find('HEAD')) === null ? emptyTree : 'HEAD', to: null }
    case 'branch':
      return { from: await commits.inCommon(span.base, 'HEAD'), to: null }
    case 'commits': {
      const [, from, dots, to] = /^(.*?)(\.{2,3})(.*)$/.exec(span.range) ?? []
      if (from === undefined) return oneCommit(commits, span.range)
      const [first, last] = [from || 'HEAD', to || 'HEAD']
      const start = dots === '...' ? await commits.inCommon(first, last) : await commits.named(first)
      return { from: start, to: await commits.named(last) }
    }
  }
}

/** Returns the span of one commit's changes; for a first commit these are all of its files. */
async function oneCommit(commits: Commits, name: string): Promise<FoundSpan> {
  const to = await commits.named(name)
  return { from: (await commits.find(`${to}^`)) ?? emptyTree, to }
}

interface Commits {
  /** Returns the id of a commit; null for an unknown name. */
  find(name: string): Promise<string | null>
  /** Returns the id of a commit. Throws `SpanError` for an unknown name. */
  named(name: string): Promise<string>
  /** Returns the newest common ancestor of two commits. */
  inCommon(one: string, other: string): Promise<string>
}

function createCommits(git: Git, folder: string): Commits {
  async function find(name: string): Promise<string | null> {
    const answer = await git(['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`])
    if (!isProblem(answer)) return textOf(answer).trim()
    if (isEmptyAnswer(answer)) return null
    throw new SpanError(problemText(answer, folder))
  }
  async function named(name: string): Promise<string> {
    const id = await find(name)
    if (id === null) throw new SpanError(`There is no commit or branch "${name}" here.`)
    return id
  }
  return {
    find,
    named,
    async inCommon(one, other) {
      const base = await git(['merge-base', await named(one), await named(other)])
      if (isProblem(base)) throw new SpanError(`${one} and ${other} have no commit in common.`)
      return textOf(base).trim()
    },
  }
}
