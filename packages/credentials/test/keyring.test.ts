import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHost } from '@parley/host'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { openKeyring } from '../src/keyring.ts'

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
    keyring: openKeyring({ host, env, home: '/h', platform: 'linux', folders: [path, '/usr/bin', '/bin'] }),
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
    expect(openKeyring({ host, env: {}, home: '/h', platform: 'linux', folders: ['/usr/bin'] })).toBeNull()
    await host.close()
  })
})

/** A folder with a `security` in place of the one of macOS: it writes down its words and keeps the last of a line. */
async function fakeMac(script?: string) {
  const folder = await tempDirectory()
  const { path } = folder
  const keep = `case $1 in
-i) read -r line; printf '%s\\n' "\${line##* }" >${path}/text ;;
find-generic-password) cat ${path}/text ;;
delete-generic-password) rm ${path}/text ;;
esac`
  writeFileSync(join(path, 'security'), `#!/bin/sh\nprintf '%s\\n' "$*" >>${path}/words\n${script ?? keep}\n`)
  chmodSync(join(path, 'security'), 0o755)
  const host = openHost()
  const ports = { host, env: { HOME: '/h', OTHER_SECRET: 'not passed on' }, home: '/h/.parley', folders: [path] }
  return {
    keychain: openKeyring({ ...ports, platform: 'darwin' }),
    words: () => readFileSync(join(path, 'words'), 'utf8'),
    kept: () => readFileSync(join(path, 'text'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await host.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('the keychain of macOS', () => {
  const secret = '{"kind":"key","key":"a \\"quoted\\" key; $HOME"}'

  it('keeps, reads and removes a text that is in no argument', async () => {
    await using mac = await fakeMac()
    expect(await mac.keychain?.write('provider/gate', secret)).toBe(true)
    expect(mac.kept().trim()).toBe(Buffer.from(secret).toString('base64'))
    expect(await mac.keychain?.read('provider/gate')).toBe(secret)
    expect(await mac.keychain?.remove('provider/gate')).toBe(true)
    expect(await mac.keychain?.read('provider/gate')).toBeNull()
    expect(mac.words()).not.toContain(mac.keychain === null ? '' : Buffer.from(secret).toString('base64'))
    expect(mac.words()).toMatch(/^-i\nfind-generic-password -s parley -a provider\/gate@[0-9a-f]{12} -w\n/)
  })

  it.each([
    ['a text that is too long for a line', 'provider/gate', 'x'.repeat(4_000)],
    ['a name that would end the line', 'provider/gate\ndelete-keychain', 'x'],
  ])('is not asked to keep %s', async (_what, name, content) => {
    await using mac = await fakeMac()
    expect(await mac.keychain?.write(name, content)).toBe(false)
    expect(() => mac.words()).toThrow()
  })

  it('that refuses keeps nothing, and one that does not answer is given up', async () => {
    await using locked = await fakeMac('exit 51')
    expect(await locked.keychain?.write('provider/gate', 'x')).toBe(false)
    expect(await locked.keychain?.remove('provider/gate')).toBe(false)
    await using silent = await fakeMac('exec sleep 60')
    expect(await silent.keychain?.read('provider/gate')).toBeNull()
  })

  it('is none where its program is missing', async () => {
    const host = openHost()
    expect(openKeyring({ host, env: {}, home: '/h', platform: 'darwin', folders: ['/nowhere'] })).toBeNull()
    await host.close()
  })
})
