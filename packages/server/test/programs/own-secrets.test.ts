import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { readServerArguments } from '../../src/programs/arguments.ts'
import { hiddenFiles } from '../../src/programs/server/start-server.ts'
import { readServerOptions, systemParts } from '../../src/programs/system-parts.ts'
import { testPlace } from '../engine/support/test-server.ts'

function openPlace(folder: string, more: Readonly<Record<string, string>> = {}, argv: readonly string[] = []) {
  const home = join(folder, '.parley')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const env = { HOME: folder, PARLEY_HOME: home, XDG_RUNTIME_DIR: folder, ...more }
  const hidden = hiddenFiles(readServerArguments(argv))
  const built = { moduleUrl: import.meta.url, version: '0', build: 'test' }
  const parts = systemParts(readServerOptions({ paced: false, recordTo: null, hidden }, env, built))
  const configure = (text: string) => writeFileSync(join(home, 'config.toml'), text, { mode: 0o600 })
  return { parts, configure }
}

describe('places of secrets of the user’s own', () => {
  it('count from the next command on, and stay when the configuration breaks', async () => {
    await using folder = await tempDirectory()
    const { parts, configure } = openPlace(folder.path)
    const keys = join(folder.path, 'keys')
    expect(await parts.machine.secrets()).not.toContain(keys)
    configure('[secrets]\npaths = ["~/keys", "/srv/vault"]\n')
    expect(await parts.machine.secrets()).toEqual(
      expect.arrayContaining([keys, '/srv/vault', join(folder.path, '.ssh')]),
    )
    configure('[secrets\n')
    expect(await parts.machine.secrets()).toContain(keys)
    configure('')
    expect(await parts.machine.secrets()).not.toContain(keys)
  })

  it('are hidden from the next command on when a file appears that a pattern stands for', async () => {
    await using folder = await tempDirectory()
    const { parts } = openPlace(folder.path)
    await parts.machine.secrets()
    const made = ['late.kdbx', 'Documents/late.kdbx', '.late_history', '.m2/settings-late.xml'].map((name) =>
      join(folder.path, name),
    )
    for (const path of made) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, '')
    }
    expect(await parts.machine.secrets()).toEqual(expect.arrayContaining(made))
  })

  it('are the files of tokens that environments name', async () => {
    await using folder = await tempDirectory()
    const { parts, configure } = openPlace(folder.path)
    configure('[environments.box]\nurl = "ws://localhost:1"\ntoken_file = "~/box-token"\n')
    expect(await parts.machine.secrets()).toContain(join(folder.path, 'box-token'))
  })

  it('are the files by which a store is opened', async () => {
    await using folder = await tempDirectory()
    const { parts, configure } = openPlace(folder.path)
    configure(
      '[store]\nservers = ["nats://a"]\ncredentials_file = "/s/creds"\npassword_file = "/s/password"\nkey_file = "/s/key"\n',
    )
    expect(await parts.machine.secrets()).toEqual(expect.arrayContaining(['/s/creds', '/s/password', '/s/key']))
  })

  it('are the files by which others get in or pose as the server, as its command line names them', async () => {
    await using folder = await tempDirectory()
    const [users, key, token, socket] = ['users', 'key.pem', 'token', 'socket'].map((name) => join(folder.path, name))
    const secure = ['--listen', 'wss://127.0.0.1:0', '--tls-cert', '/cert.pem', '--tls-key', String(key)]
    const withUsers = openPlace(folder.path, {}, [...secure, '--users', String(users)])
    expect(await withUsers.parts.machine.secrets()).toEqual(expect.arrayContaining([users, key]))
    const alone = openPlace(folder.path, {}, [
      '--listen',
      `unix:${socket}`,
      '--listen',
      'ws://127.0.0.1:0',
      '--token-file',
      String(token),
    ])
    expect(await alone.parts.machine.secrets()).toEqual(expect.arrayContaining([socket, token]))
  })

  it('are hidden where variables of the server move them, and in the home of the list of users', async () => {
    await using folder = await tempDirectory()
    const { parts } = openPlace(folder.path, { KUBECONFIG: `${folder.path}/one:${folder.path}/two` })
    const listed = join(userInfo().homedir, '.ssh')
    const moved = ['one', 'two', '.ssh'].map((name) => join(folder.path, name))
    expect(await parts.machine.secrets()).toEqual(expect.arrayContaining([...moved, listed]))
  })

  it('are listed by the checkup with the known ones, and those that are missing', async () => {
    await using place = testPlace()
    const { parts, configure } = openPlace(place.root)
    for (const name of ['keys', '.ssh', '.config/gh']) mkdirSync(join(place.root, name), { recursive: true })
    const client = await place.start({ secrets: parts.machine.secrets }).connect()
    configure('[secrets]\npaths = ["~/keys", "~/mistyped"]\n')
    const { checks } = await client.request('server/checkup', { cwd: place.cwd, provider: false })
    const found = checks.filter(({ name }) => name === 'secrets')
    expect(found).toEqual([
      {
        name: 'secrets',
        level: 'ok',
        text: expect.stringMatching(/^\d+ places of secrets exist here, (?:not )?hidden from commands/),
      },
      expect.objectContaining({
        level: 'warning',
        text: expect.stringContaining('names ~/mistyped, and nothing is there'),
      }),
    ])
    for (const name of ['~/.ssh', '~/.config/gh', '~/keys', '~/.parley']) expect(found[0]?.text).toContain(name)
    expect(found[0]?.text).not.toContain('~/.aws')
  })
})
