import type { ResultOf } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { testedLines } from '../../src/commands/policy.ts'

type Tested = ResultOf<'policy/test'>

function linesFor(script: string, changed: Partial<Tested> = {}): string {
  const judged = {
    verdict: 'allow',
    rule: { name: 'builtin:sandboxed' },
    reason: 'the sandbox limits what it can do',
    run: 'sandboxed',
  } as const
  const tested: Tested = {
    ...judged,
    argv: ['sh', '-c', script],
    approvalPolicy: 'on-request',
    sandbox: 'workspace-write',
    enforcement: 'full',
    understood: true,
    parts: script.split(' && ').map((part) => ({ ...judged, argv: part.split(' '), program: null })),
    ...changed,
  }
  return testedLines(tested, [script]).join('\n')
}

describe('a command that is allowed and would fail in the sandbox', () => {
  it.each(['commit -m x', 'add .', '-C sub checkout b', 'stash', 'tag v1', 'fetch', 'pull --rebase', '-c a=b merge x'])(
    'is told of: git %s',
    (words) => {
      expect(linesFor(`git ${words}`)).toMatch(/\.git is read-only in the sandbox: git [a-z]+ fails there/)
    },
  )

  it('is told of also as a part of another', () => {
    expect(linesFor('npm test && /usr/bin/git commit')).toContain('git commit fails there')
  })

  it.each(['git status', 'git stash list', 'git tag', 'git log --grep commit', 'echo git commit', 'digit add'])(
    'is none where nothing is written to the repository: %s',
    (script) => {
      expect(linesFor(script)).not.toContain('.git is read-only')
    },
  )

  it('is none without a sandbox, nor where it is not run at all', () => {
    expect(linesFor('git commit', { run: 'unsandboxed' })).not.toContain('.git is read-only')
    expect(linesFor('git commit', { verdict: 'deny' })).not.toContain('.git is read-only')
  })
})
