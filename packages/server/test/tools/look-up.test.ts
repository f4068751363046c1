import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSideFiles } from '@parley/engine/src/conversation/side-files.ts'
import { prepareLookUp } from '@parley/engine/src/tools/contract/define-tool.ts'
import { noSandbox } from '@parley/host'
import { nodeFiles } from '@parley/journal'
import { imageLimitsOf } from '@parley/models'
import { tempWorkspace } from '@parley/testkit'
import { expect, it } from 'vitest'
import { testLocalPlace } from '../environments/test-local-place.ts'

it('opens the path that was checked, and no later target', async () => {
  await using folder = await tempWorkspace({ files: { 'a.txt': 'a', 'b.txt': 'b' } })
  const at = (name: string) => join(folder.path, name)
  await symlink(at('a.txt'), at('link'))
  const looked: string[] = []
  const prepared = prepareLookUp({
    tool: 'read_file',
    title: 'Read link',
    input: { path: 'link' },
    path: 'link',
    recursive: false,
    environment: testLocalPlace(folder.path),
    look: async ({ real }) => {
      looked.push(real)
      return { kind: 'read', text: '' }
    },
  })
  const workspace = { cwd: folder.path, roots: [folder.path] }
  const ready = await prepared.plan(workspace, await prepared.facts(workspace))
  if ('problem' in ready) throw new Error(ready.problem)
  const run = () =>
    ready.run({
      ...workspace,
      conversationId: 'c',
      itemId: 'i',
      attempt: 1,
      signal: new AbortController().signal,
      sentToBackground: new AbortController().signal,
      sandbox: { prepare: () => Promise.resolve(noSandbox), narrowed: new AbortController().signal },
      files: {
        sideFiles: createSideFiles(nodeFiles, folder.path),
        imageLimits: imageLimitsOf({ adapter: 'test' }),
        outputOf: () => null,
      },
      user: { ask: () => Promise.resolve({ kind: 'cancelled' }), answers: null, note: null },
      report: () => undefined,
      updatePlan: () => Promise.resolve(),
    })

  await rm(at('link'))
  await symlink(at('b.txt'), at('link'))
  expect((await run()).status).toBe('completed')
  expect(looked).toEqual([at('a.txt')])

  await rm(at('a.txt'))
  await symlink(at('b.txt'), at('a.txt'))
  expect(await run()).toMatchObject({ status: 'failed', modelText: 'link now leads somewhere else.' })
  await rm(at('a.txt'))
  await writeFile(at('a.txt'), 'again')
  expect((await run()).status).toBe('completed')
})
