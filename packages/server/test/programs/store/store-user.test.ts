import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { hasNats, startNats, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { openSharedStore, readStore, shortWait } from '../../../src/programs/shared-store.ts'

interface Tried {
  readonly server?: string
  readonly password?: string
  readonly mode?: number
  /** Lines of `[store]` besides its servers. */
  readonly lines?: string
}

/** Opens the store that a configuration names, and closes it. Resolves to the problem, else to `opened`. */
async function opened({ server = '127.0.0.1:1', password = 'right', mode = 0o600, lines }: Tried): Promise<string> {
  await using home = await tempDirectory()
  const file = join(home.path, 'password')
  writeFileSync(file, `${password}\n`, { mode: 0o600 })
  chmodSync(file, mode)
  const user = lines ?? `user = "parley"\npassword_file = "${file}"`
  const config = `[store]\nservers = ["nats://${server}"]\n${user.replaceAll('FILE', file)}\n`
  writeFileSync(join(home.path, 'config.toml'), config, { mode: 0o600 })
  const warned: string[] = []
  const found = await openSharedStore(null, {
    home: home.path,
    files: nodeFiles,
    warn: (text) => warned.push(text),
    wait: shortWait('server'),
  })
  if ('problem' in found) return [...warned, found.problem].join('\n')
  await using _store = found.store
  return found.store === null ? 'none' : 'opened'
}

describe.skipIf(!hasNats)('a store with users and passwords', () => {
  test('is opened with the password of its file, and with no other', async () => {
    await using nats = await startNats({
      config: 'authorization { users: [{ user: parley, password: right }, { user: other, password: wrong }] }',
    })
    const [server = ''] = nats.addresses
    expect(await opened({ server })).toBe('opened')
    const refused = await opened({ server, password: 'wrong' })
    expect(refused).toMatch(/^The store nats:\/\/127\.0\.0\.1:\d+ cannot be reached \(/)
    expect(refused).not.toContain('wrong')
    expect(await opened({ server, lines: '' })).toContain('cannot be reached')
  })
})

describe('the user of a store', () => {
  test.each([
    [{ mode: 0o640 }, /must be a file of yours alone: chmod 600/],
    [{ lines: 'cert_file = "/c.pem"' }, /cert_file and key_file of \[store\] go together/],
    [{ lines: 'key_file = "/c.key"' }, /cert_file and key_file of \[store\] go together/],
    [
      { lines: 'replicas = 9' },
      /config\.toml:3: store\.replicas: must be 1, 3 or 5, and at most the number of servers/,
    ],
    [{ lines: 'replicas = 2' }, /store\.replicas: must be 1, 3 or 5/],
    [
      { lines: 'replica = 3\nuser = "parley"' },
      /config\.toml:3: unknown key "store\.replica"\. Did you mean "replicas"\?\nuser/,
    ],
    [{ lines: 'user = "parley"' }, /user and password_file of \[store\] go together/],
    [{ lines: 'password_file = "FILE"' }, /user and password_file of \[store\] go together/],
    [
      { lines: 'user = "parley"\npassword_file = "/nowhere/password"' },
      /password_file \/nowhere\/password .* cannot be/,
    ],
    [
      { lines: 'user = "parley"\npassword_file = "FILE"\ncredentials_file = "FILE"' },
      /both a user and a credentials_file/,
    ],
  ])('is a problem in one sentence where it is %j', async (tried, sentence) => {
    expect(await opened(tried)).toMatch(sentence)
  })

  test('is asked for by nobody where the command line says that there is no store', async () => {
    await using home = await tempDirectory()
    writeFileSync(join(home.path, 'config.toml'), '[store]\nservers = ["nats://127.0.0.1:1"]\n', { mode: 0o600 })
    const wait = shortWait('server')
    const warn = () => undefined
    expect(await openSharedStore(readStore('none'), { home: home.path, files: nodeFiles, warn, wait })).toEqual({
      store: null,
    })
  })

  test('is not taken from an address', () => {
    expect(() => readStore('nats://parley:right@127.0.0.1:4222')).toThrow(/set user and password_file/)
    expect(() => readStore('nats://parley:right@127.0.0.1:4222')).not.toThrow(/right/)
  })
})
