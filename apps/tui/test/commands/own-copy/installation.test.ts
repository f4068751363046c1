import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { installationOf, removalAdvice, updateAdvice } from '../../../src/commands/own-copy/installation.ts'

test.each([
  ['checkout', 'repo/apps/tui', 'repo', /git -C .*repo pull/, /rm -rf .*repo$/],
  [
    'global',
    'usr/lib/node_modules/parley',
    'usr/lib/node_modules/parley',
    /npm install -g FILE/,
    /npm uninstall -g parley/,
  ],
  [
    'local',
    'app/node_modules/parley',
    'app/node_modules/parley',
    /in the project/,
    /npm uninstall --prefix .*app parley/,
  ],
  ['npx', 'n/_npx/1a2b/node_modules/parley', 'n/_npx/1a2b/node_modules/parley', /npx FILE/, /rm -rf .*_npx\/1a2b$/],
  ['unpacked', 'opt/package', 'opt/package', /unpack it in place/, /rm -rf .*opt\/package$/],
  ['unpacked', 'opt/my package', 'opt/my package', /unpack it in place/, /rm -rf '.*opt\/my package'$/],
] as const)('a program is known as %s by its place', async (kind, above, folder, update, removal) => {
  await using place = await tempDirectory()
  const root = realpathSync(place.path)
  mkdirSync(join(root, above, 'dist'), { recursive: true })
  const main = join(root, above, 'dist', 'parley.mjs')
  writeFileSync(main, '')
  if (kind === 'checkout') writeFileSync(join(root, 'repo', 'pnpm-lock.yaml'), '')
  const found = installationOf(pathToFileURL(main).href)
  expect(found).toEqual({ kind, folder: join(root, folder) })
  expect(updateAdvice(found)).toMatch(update)
  expect(removalAdvice(found)).toMatch(removal)
})
