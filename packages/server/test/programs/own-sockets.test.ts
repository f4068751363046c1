import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { readServerOptions, systemParts } from '../../src/programs/system-parts.ts'

it("a requested socket is hidden from commands like the server's own", async () => {
  await using home = await tempDirectory()
  const socket = join(home.path, 'shop', 'in.sock')
  const env = { HOME: home.path, PARLEY_HOME: join(home.path, '.parley'), XDG_RUNTIME_DIR: home.path }
  const built = { moduleUrl: import.meta.url, version: '0', build: 'test' }
  const options = readServerOptions({ paced: false, recordTo: null, hidden: [socket] }, env, built)
  expect(await systemParts(options).machine.secrets()).toEqual(
    expect.arrayContaining([join(home.path, 'parley'), socket]),
  )
})
