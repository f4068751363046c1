import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { createConnectedMachines } from '../../src/remote/connected-machines.ts'
import { dialTo } from '../../src/remote/dial.ts'

const { signal } = new AbortController()
const url = 'ws://127.0.0.1:9'

it('a missing token is explained in one sentence and nothing is connected', async () => {
  await using home = await tempDirectory()
  const around = {
    home: home.path,
    env: { HOME: '/nowhere', EMPTY: ' ' },
    machines: createConnectedMachines(0),
    users: [],
  }
  const failure = (settings: object) => dialTo({ url, ...settings }, around)(signal)
  await expect(failure({ token_env: 'MISSING' })).rejects.toThrow('MISSING, which its token_env names, is not set')
  await expect(failure({ token_env: 'EMPTY' })).rejects.toThrow('EMPTY, which its token_env names, is not set')
  await expect(failure({ token_file: 'token' })).rejects.toThrow(
    `its token_file ${home.path}/token cannot be read (no such file or directory)`,
  )
  await expect(failure({ token_file: '~/token' })).rejects.toThrow('its token_file /nowhere/token cannot be read')
  await expect(failure({})).rejects.toThrow('cannot connect to ws://127.0.0.1:9: nothing listens there (ECONNREFUSED)')
})
