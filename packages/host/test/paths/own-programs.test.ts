import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lookAtPaths } from '../../src/paths/what-a-path-is.ts'
import { openWorkspace } from '../workspace.ts'

it.each([
  ['a program', ['{W}/tools/run', 'src/x'], '/'],
  ['a script of an interpreter', ['node', '--no-warnings', '{W}/tools/run'], '/'],
  ['a script from the folder of the conversation', ['python3', 'tools/run'], '.'],
  ['a script from a folder of its own', ['npx', 'tsx', './run'], 'tools'],
])('%s that the settings start is guarded, and nothing beside it', async (_, words, cwd) => {
  using workspace = openWorkspace()
  const root = realpathSync(workspace.path('.'))
  mkdirSync(join(root, 'tools'))
  const programs = () => [{ words: words.map((word) => word.replace('{W}', root)), cwd }]
  const { guardOf } = await lookAtPaths([root], { home: join(root, '..', 'home'), programs })
  const kinds = ['tools/run', 'tools/other', 'src/x', 'tools'].map((path) => guardOf(join(root, path)))
  expect(kinds).toEqual(['startsPrograms', null, null, null])
})
