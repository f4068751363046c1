import { tempDirectory } from '@parley/testkit'
import { withMembers } from '@parley/workspace'
import { expect, it } from 'vitest'
import { testLocalPlace } from './test-local-place.ts'

it('an environment with another member keeps all others, also those that it inherits', async () => {
  await using home = await tempDirectory()
  const local = testLocalPlace(home.path)
  const rootsNow = async () => ({ real: [], changed: [] })
  const elsewhere = withMembers(withMembers(local, { rootsNow }), { shell: '/bin/elsewhere' })
  const { shell, files, commands } = elsewhere
  expect(shell).toBe('/bin/elsewhere')
  expect([files, commands, elsewhere.rootsNow]).toEqual([local.files, local.commands, rootsNow])
  expect(local.shell).not.toBe(shell)
})
