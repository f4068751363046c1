import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RepositoryShape, repositoryShapes, shapedRepository, tempDirectory } from '@parley/testkit'
import { describe, test } from 'vitest'
import { applyPatch, execWorld, fullAccess, shell } from './exec-world.ts'

const search = (pattern: string) => ({ calls: [{ name: 'search', arguments: { pattern } }] })

/** Steps of a turn that uses each kind of tool. */
const steps = [
  shell('echo two > f.txt; for name in made ignored excluded; do echo new > $name; done'),
  applyPatch('*** Update File: f.txt', '@@', '-two', '+three'),
  search('three'),
  { text: 'ok' },
]

const names = Object.keys(repositoryShapes).filter((name): name is RepositoryShape => name in repositoryShapes)

describe('a folder of the shape', () => {
  test.for(names)('%s is worked in, known to the model and taken back', async (shape, { expect }) => {
    await using root = await tempDirectory()
    const { folder, branch, ignored } = await shapedRepository(shape, root.path)
    await using world = await execWorld({ steps })
    const { result, end } = await world.execJson([...fullAccess, 'go'], { cwd: folder })
    expect([result.stderr, result.exitCode, end.answer]).toEqual(['', 0, 'ok'])
    expect(readFileSync(join(folder, 'f.txt'), 'utf8')).toBe('three\n')
    const told = JSON.stringify(world.model.requests.at(-1)?.body)
    expect(told).toMatch(/f\.txt:1:\s*three|f\.txt[^"]*three/)
    const [, known = null] = /Git branch: ([^\\"]+)/.exec(told) ?? []
    expect(known).toEqual(branch === null ? null : expect.stringMatching(branch))
    const rewind = await world.parley('rewind', end.conversationId, '--to', '1', '--yes')
    expect([rewind.stdout, rewind.stderr, rewind.exitCode]).toEqual([expect.not.stringContaining('not covered'), '', 0])
    expect(readFileSync(join(folder, 'f.txt'), 'utf8')).toBe('one\n')
    expect(['made', 'ignored', 'excluded'].filter((name) => existsSync(join(folder, name)))).toEqual(ignored)
  })
})
