import { describe, expect, it } from 'vitest'
import { clipDiffs } from '../../src/tools/changes/prepare-change.ts'

const change = (path: string, diff: string) => ({
  path,
  kind: 'delete' as const,
  additions: 0,
  deletions: 0,
  diff,
  before: 'sha256:a',
  after: null,
})
const lines = (count: number) => Array.from({ length: count }, (_, n) => `-line ${n}\n`).join('')

describe('the diffs of a patch', () => {
  it('stay unchanged while they are short', () => {
    const changes = [change('a', lines(3)), change('b', lines(3))]
    expect(clipDiffs(changes)).toEqual(changes)
  })

  it('are cut at a line when they are long, and tell how much is missing', () => {
    const [clipped] = clipDiffs([change('a', lines(100))], 50)
    expect(clipped?.diff).toBe('-line 0\n-line 1\n-line 2\n-line 3\n-line 4\n-line 5\n… 94 more lines\n')
    expect(clipped).toMatchObject({ path: 'a', before: 'sha256:a' })
  })

  it('share one limit', () => {
    const [first, second] = clipDiffs([change('a', lines(5)), change('b', lines(50))], 60)
    expect(first?.diff).toBe(lines(5))
    expect(second?.diff).toBe('-line 0\n-line 1\n… 48 more lines\n')
  })
})
