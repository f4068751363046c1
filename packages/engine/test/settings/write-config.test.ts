import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { writeConfig } from '../../src/settings/write-config.ts'

const dark = { key: 'tui.theme', value: 'dark' } as const

describe('a value that a window keeps', () => {
  it('is written into a new file of the home, for its user alone', async () => {
    await using home = await tempDirectory()
    const ports = { home: join(home.path, 'new'), files: nodeFiles }
    const { file } = await writeConfig(dark, ports)
    expect(readFileSync(file, 'utf8')).toBe('[tui]\ntheme = "dark"\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('goes into the file behind a link, which stays one, with the rights that the file had', async () => {
    await using home = await tempDirectory()
    const real = join(home.path, 'dotfiles.toml')
    writeFileSync(real, '# mine\nmodel = "m"\n', { mode: 0o644 })
    symlinkSync(real, join(home.path, 'config.toml'))
    const { file } = await writeConfig(dark, { home: home.path, files: nodeFiles })
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe('# mine\nmodel = "m"\n\n[tui]\ntheme = "dark"\n')
    expect(statSync(real).mode & 0o777).toBe(0o644)
  })

  it('is refused, and the file stays, where that has a mistake', async () => {
    await using home = await tempDirectory()
    writeFileSync(join(home.path, 'config.toml'), 'model = \n')
    await expect(writeConfig(dark, { home: home.path, files: nodeFiles })).rejects.toThrow(/config\.toml:1/)
    expect(readFileSync(join(home.path, 'config.toml'), 'utf8')).toBe('model = \n')
  })
})
