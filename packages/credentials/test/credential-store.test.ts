import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { CredentialName } from '../src/credential.ts'
import { createCredentialStore } from '../src/credential-store.ts'
import type { Keyring } from '../src/keyring.ts'

const keyOf = (key: string) => ({ kind: 'key', key }) as const
const name: CredentialName = 'provider/gate'

/** A keyring in memory; `isOpen` false is a locked one. */
function memoryKeyring(): Keyring & { isOpen: boolean; readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  const keyring = {
    isOpen: true,
    texts,
    read: (of: string) => Promise.resolve(keyring.isOpen ? (texts.get(of) ?? null) : null),
    write: (of: string, text: string) => {
      if (keyring.isOpen) texts.set(of, text)
      return Promise.resolve(keyring.isOpen)
    },
    remove: (of: string) => {
      if (keyring.isOpen) texts.delete(of)
      return Promise.resolve(keyring.isOpen)
    },
  }
  return keyring
}

describe('credentials in the file', () => {
  it('are for their user alone, whatever the umask, and are gone after their removal', async () => {
    await using home = await tempDirectory()
    const store = createCredentialStore({ home: home.path, keyring: () => null })
    const before = process.umask(0)
    expect(await store.keep(name, keyOf('first-key'), 'auto')).toBe('file')
    process.umask(before)
    const path = join(home.path, 'credentials.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(home.path, 'credentials.lock')).mode & 0o777).toBe(0o600)
    expect(await store.read(name)).toEqual(keyOf('first-key'))
    expect([await store.remove(name), await store.remove(name)]).toEqual([true, false])
    expect(await store.read(name)).toBeNull()
    expect(readFileSync(path, 'utf8')).not.toContain('first-key')
  })

  it('are not left in what a process wrote that was killed meanwhile', async () => {
    await using home = await tempDirectory()
    const store = createCredentialStore({ home: home.path, keyring: () => null })
    await store.keep(name, keyOf('first-key'), 'auto')
    const path = join(home.path, 'credentials.json')
    copyFileSync(path, `${path}.0123456789ab.tmp`)
    await store.remove(name)
    expect(readdirSync(home.path).filter((entry) => entry.startsWith('credentials.json'))).toEqual(['credentials.json'])
  })

  it('are all there when several writers keep theirs at once', async () => {
    await using home = await tempDirectory()
    const names = Array.from({ length: 4 }, (_, at): CredentialName => `provider/p${at}`)
    const kept = names.map((each) =>
      createCredentialStore({ home: home.path, keyring: () => null }).keep(each, keyOf(`key-of-${each}`), 'auto'),
    )
    await Promise.all(kept)
    const store = createCredentialStore({ home: home.path, keyring: () => null })
    expect([...store.entries().keys()].toSorted()).toEqual(names.toSorted())
  })

  it('stay beside those of a kind that only a newer program knows', async () => {
    await using home = await tempDirectory()
    const path = join(home.path, 'credentials.json')
    const newer = { 'provider/vault': { keptIn: 'vault', at: 'slot 9' }, 'device/phone': { keptIn: 'file' } }
    writeFileSync(path, JSON.stringify({ version: 1, entries: newer }), { mode: 0o600 })
    const store = createCredentialStore({ home: home.path, keyring: () => null })
    await store.keep(name, keyOf('first-key'), 'auto')
    expect([...store.entries().keys()]).toEqual([name])
    expect(await store.remove(name)).toBe(true)
    expect(JSON.parse(readFileSync(path, 'utf8')).entries).toEqual(newer)
  })

  it.each<[string, (path: string) => void, RegExp]>([
    ['others can read', (path) => chmodSync(path, 0o644), /chmod 600/],
    ['is damaged', (path) => writeFileSync(path, '{"version":1,"entries":{"provider/gate":'), /is damaged/],
    ['a newer program wrote', (path) => writeFileSync(path, '{"version":2}'), /newer parley/],
  ])('are not used from a file that %s', async (_what, change, words) => {
    await using home = await tempDirectory()
    const store = createCredentialStore({ home: home.path, keyring: () => null })
    await store.keep(name, keyOf('first-key'), 'auto')
    change(join(home.path, 'credentials.json'))
    expect(() => store.entries()).toThrow(words)
  })

  it.each(['elsewhere', 'nothing', 'credentials.json'])(
    'are not read or replaced through a link to %s',
    async (target) => {
      await using home = await tempDirectory()
      writeFileSync(join(home.path, 'elsewhere'), '{"version":1,"entries":{}}', { mode: 0o600 })
      symlinkSync(target, join(home.path, 'credentials.json'))
      const store = createCredentialStore({ home: home.path, keyring: () => null })
      expect(() => store.entries()).toThrow(/is a link/)
      await expect(store.keep(name, keyOf('first-key'), 'auto')).rejects.toThrow(/is a link/)
    },
  )
})

describe('credentials in the keyring', () => {
  it('leave only their name in the file', async () => {
    await using home = await tempDirectory()
    const keyring = memoryKeyring()
    const store = createCredentialStore({ home: home.path, keyring: () => keyring })
    expect(await store.keep(name, keyOf('ring-key'), 'auto')).toBe('keyring')
    expect(readFileSync(join(home.path, 'credentials.json'), 'utf8')).not.toContain('ring-key')
    expect(await store.read(name)).toEqual(keyOf('ring-key'))
    expect(await store.remove(name)).toBe(true)
    expect(keyring.texts.size).toBe(0)
  })

  it('are not had from a locked one, which is said', async () => {
    await using home = await tempDirectory()
    const keyring = memoryKeyring()
    const store = createCredentialStore({ home: home.path, keyring: () => keyring })
    await store.keep(name, keyOf('ring-key'), 'auto')
    keyring.isOpen = false
    await expect(store.read(name)).rejects.toThrow(/is locked/)
    await expect(store.remove(name)).rejects.toThrow(/is locked/)
    await expect(store.keep(name, keyOf('other-key'), 'keyring')).rejects.toThrow(/cli_auth_credentials_store/)
    expect(await store.keep(name, keyOf('other-key'), 'auto')).toBe('file')
  })
})
