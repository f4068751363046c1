import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { readBeginning } from '../../../src/programs/git/new-files.ts'

it('the text of a new file is not that of a file elsewhere, by a link of its own or on the way', async () => {
  await using root = await tempDirectory()
  const work = join(root.path, 'work')
  for (const folder of ['work/a', 'elsewhere']) mkdirSync(join(root.path, folder), { recursive: true })
  writeFileSync(join(work, 'a/x'), 'here')
  writeFileSync(join(root.path, 'elsewhere/x'), 'there')
  symlinkSync(join(root.path, 'elsewhere'), join(work, 'b'))
  symlinkSync(join(root.path, 'elsewhere/x'), join(work, 'a/y'))
  symlinkSync(work, join(root.path, 'link'))
  const read = ['a/x', 'b/x', 'a/y', 'a', 'a/z'].map((name) => readBeginning(work, name, 10))
  expect(await Promise.all([...read, readBeginning(join(root.path, 'link'), 'a/x', 10)])).toEqual([
    { kind: 'text', text: 'here', isWhole: true },
    null,
    { kind: 'link', target: join(root.path, 'elsewhere/x') },
    null,
    null,
    { kind: 'text', text: 'here', isWhole: true },
  ])
})
