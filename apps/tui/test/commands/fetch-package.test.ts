import { tempDirectory, tempWorkspace } from '@parley/testkit'
import { expect, test } from 'vitest'
import { fetchPackage } from '../../src/commands/provider-packages.ts'

/** `{here}` stands for a folder with an unpacked package. */
test.each([
  'git+ssh://git@example.org/a/b',
  'https://example.org/a.tgz',
  'maker/echo',
  'other@npm:@maker/echo',
  '@maker/echo@file:.',
  '{here}/../x',
  '{here}/package',
  '{here}/package/index.js',
])('%s is no package to fetch', async (spec) => {
  await using here = await tempWorkspace({ files: { 'package/package.json': '{}', 'package/index.js': '' } })
  await using folder = await tempDirectory()
  // Without a PATH no npm is found, which would be another error.
  const fetched = fetchPackage(folder.path, spec.replace('{here}', here.path), {})
  await expect(fetched).rejects.toMatchObject({ exitCode: 2 })
})
