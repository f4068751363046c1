import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHost } from '@parley/host'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { openKeyring } from '../../src/credentials/keyring.ts'

interface Fakes {
  readonly locked?: string
  readonly secretTool?: string
}

/** A folder with programs in place of the system's: they write down their words, and keep one text in a file. */
async function fakeDesktop({ locked = 'echo "   variant       boolean false"', secretTool }: Fakes = {}) {
  const folder = await tempDirectory()
  const { path } = folder
  const keep = `case $1 in store) cat >${path}/text ;; lookup) cat ${path}/text ;; clear) rm ${path}/text ;; esac`
  for (const [name, script] of [
    ['dbus-send', locked],
    ['secret-tool', secretTool ?? keep],
  ] as const) {
    writeFileSync(join(path, name), `#!/bin/sh\nprintf '%s\\n' "$0 $*" >>${path}/words\n${script}\n`)
    chmodSync(join(path, name), 0o755)
  }
  const host = openHost()
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', OTHER_SECRET: 'not passed on' }
  return {
    keyring: openKeyring({ host, env, home: '/h', folders: [path, '/usr/bin', '/bin'] }),
    words: () => readFileSync(join(path, 'words'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await host.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('the keyring', () => {
  it('keeps, reads and removes a text that is in no argument', async () => {
    await using desktop = await fakeDesktop()
    const { keyring } = desktop
    expect(await keyring?.write('provider/gate', 'the secret text')).toBe(true)
    expect(await keyring?.read('provider/gate')).toBe('the secret text')
    expect(await keyring?.remove('provider/gate')).toBe(true)
    expect(await keyring?.read('provider/gate')).toBeNull()
    expect(desktop.words()).not.toContain('the secret text')
  })

  it.each([
    ['is locked', { locked: 'echo "   variant       boolean true"' }],
    ['has no collection', { locked: 'exit 1' }],
  ])('that %s is not asked, so that no window opens', async (_what, fakes) => {
    await using desktop = await fakeDesktop(fakes)
    expect(await desktop.keyring?.read('provider/gate')).toBeNull()
    expect(await desktop.keyring?.write('provider/gate', 'x')).toBe(false)
    expect(desktop.words()).not.toContain('secret-tool')
  })

  it('that does not answer is given up', async () => {
    await using desktop = await fakeDesktop({ secretTool: 'exec sleep 60' })
    expect(await desktop.keyring?.read('provider/gate')).toBeNull()
  })

  it('is none without the bus of a session', async () => {
    const host = openHost()
    expect(openKeyring({ host, env: {}, home: '/h', folders: ['/usr/bin'] })).toBeNull()
    await host.close()
  })
})
