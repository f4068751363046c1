import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPathStandings } from '../../src/paths/path-standing.ts'
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
  const { guardOf } = await openPathStandings([root], { home: join(root, '..', 'home'), programs })
  const kinds = ['tools/run', 'tools/other', 'src/x', 'tools'].map((path) => guardOf(join(root, path)))
  expect(kinds).toEqual(['startsPrograms', null, null, null])
})

const line = '#!/bin/sh\n'

it.each([
  ['a line for a shell', { line: '"$PARLEY_PROJECT_DIR"/tools/check | grep x', cwd: '.' }],
  ['a line whose quotes end within a word', { line: 'A="b c" "tools"/check 2>/dev/null', cwd: '.' }],
  ['a line that a shell is handed', { words: ['sh', '-c', 'sh||tools/check'], cwd: '.' }],
  ['a program in the home', { words: ['~/w/tools/check'], cwd: '/' }],
  ['a name that is found in the workspace', { words: ['check', 'x'], cwd: '/' }],
  ['a name after another program', { line: 'env A=1 check x', cwd: '/' }],
  ['a name in a search path of its own', { words: ['check'], cwd: '.', searchPath: 'tools:/usr/bin' }],
])('%s is guarded', async (_, program) => {
  using workspace = openWorkspace()
  const home = realpathSync(workspace.path('.'))
  const root = join(home, 'w')
  mkdirSync(join(root, 'tools'), { recursive: true })
  writeFileSync(join(root, 'tools/check'), line)
  const env = { PATH: `/bin:${root}/tools:/usr/bin` }
  const { guardOf } = await openPathStandings([root], { home, env, programs: () => [program] })
  expect(['tools/check', 'tools/x', 'tools/env'].map((path) => guardOf(join(root, path)))).toEqual([
    ...['startsPrograms', null, null],
  ])
})

it('a name that is found elsewhere first is not guarded', async () => {
  using workspace = openWorkspace()
  const root = realpathSync(workspace.path('.'))
  const programs = () => [{ words: ['sh'], cwd: '/' }]
  const guardAfter = async (path: string) =>
    (await openPathStandings([root], { home: join(root, '..', 'home'), env: { PATH: path }, programs })).guardOf(
      join(root, 'bin/sh'),
    )
  expect(await guardAfter(`/bin:${root}/bin`)).toBe(null)
  expect(await guardAfter(`${root}/bin:/bin`)).toBe('startsPrograms')
})

it('the editor of the user is guarded', async () => {
  using workspace = openWorkspace()
  const root = realpathSync(workspace.path('.'))
  const env = { PATH: `${root}/bin:/bin`, EDITOR: 'ed --wait', VISUAL: 'tools/edit' }
  const { guardOf } = await openPathStandings([root], { home: join(root, '..', 'home'), env })
  expect(['bin/ed', 'tools/edit'].map((path) => guardOf(join(root, path)))).toEqual([
    ...['startsPrograms', 'startsPrograms'],
  ])
})
