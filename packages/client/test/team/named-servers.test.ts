import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { readNamedServers } from '../../src/team/named-servers.ts'

it('an empty file of a token is named, and not taken for a token', async () => {
  await using home = await tempDirectory()
  const tokenFile = join(home.path, 'token')
  writeFileSync(tokenFile, '\n')
  const read = () => readNamedServers({ servers: ['wss://a:7100'], tokenFile }, { env: {}, home: home.path })
  expect(read).toThrow(`The file of --token-file, ${tokenFile}, is empty.`)
  writeFileSync(tokenFile, 'secret\n')
  expect(read()).toMatchObject({ token: 'secret' })
})
