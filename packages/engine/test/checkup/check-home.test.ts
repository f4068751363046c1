import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { checkHome } from '../../src/checkup/check-home.ts'

async function levels(home: string) {
  const checks = await checkHome(home)
  return checks
    .filter(({ name }) => name === 'home')
    .map(({ level, text }) => `${level}: ${text.replaceAll(home, 'H')}`)
}

describe('the home folder', () => {
  // Nothing can be made in /proc, by root neither.
  it.skipIf(process.platform !== 'linux')('is a problem where it cannot be made', async () => {
    const home = '/proc/self/away/.parley'
    expect(await levels(home)).toEqual([expect.stringMatching(/^problem: H cannot be made: ./)])
  })

  it('passes when it is private, reached by a link, or missing', async () => {
    await using directory = await tempDirectory()
    const home = join(directory.path, 'home')
    expect(await levels(home)).toEqual(['ok: H is not there yet; it is made with the first conversation'])
    mkdirSync(home, { mode: 0o700 })
    symlinkSync(home, join(directory.path, 'link'))
    writeFileSync(join(home, 'policy.toml'), '', { mode: 0o600 })
    expect(await levels(home)).toEqual(['ok: H, for you alone'])
    expect(await levels(join(directory.path, 'link'))).toEqual(['ok: H, for you alone'])
    expect(await checkHome(home)).toContainEqual(expect.objectContaining({ name: 'disk' }))
  })

  it('is reported when others can read it, others can change the rules, or it is not a folder', async () => {
    await using directory = await tempDirectory()
    const home = join(directory.path, 'home')
    mkdirSync(home)
    chmodSync(home, 0o755)
    writeFileSync(join(home, 'policy.toml'), '')
    chmodSync(join(home, 'policy.toml'), 0o664)
    for (const [name, mode] of [
      ['server-token', 0o644],
      ['redaction.key', 0o600],
    ] as const) {
      writeFileSync(join(home, name), '')
      chmodSync(join(home, name), mode)
    }
    expect(await levels(home)).toEqual([
      'warning: H has mode 755: other users of this machine can look into it',
      'problem: other users of this machine can change policy.toml, and with it what runs unasked',
      'problem: other users of this machine can read or change server-token, so parley does not use it',
    ])
    expect(await levels(join(home, 'policy.toml'))).toEqual(['problem: H is not a folder'])
  })

  it.runIf(process.getuid?.() !== 0)('is a problem when it is not writable', async () => {
    await using directory = await tempDirectory()
    const home = join(directory.path, 'home')
    mkdirSync(home)
    chmodSync(home, 0o500)
    expect(await levels(home)).toEqual(['problem: H cannot be written to: permission denied'])
    chmodSync(home, 0o700)
  })
})
