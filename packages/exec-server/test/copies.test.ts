import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCopies } from '../src/copies.ts'

const host = { startGuard: () => undefined, removeWhenKilled: () => () => undefined }
const fileOf = (path: string, text = path, executable = false) => ({
  path,
  dataBase64: Buffer.from(text).toString('base64'),
  executable,
})

describe("a copy of a client's files", () => {
  it('is read-only, made once, and gone with its session', async () => {
    const copies = createCopies(host)
    expect(await copies.find('a')).toBe(null)
    const folder = await copies.make('a', [fileOf('.parley/hooks/a.sh'), fileOf('run', '#!/bin/sh\n', true)])
    expect(readFileSync(join(folder, '.parley/hooks/a.sh'), 'utf8')).toBe('.parley/hooks/a.sh')
    const modes = ['.parley/hooks/a.sh', 'run'].map((path) => statSync(join(folder, path)).mode & 0o777)
    expect(modes).toEqual([0o400, 0o500])
    expect([await copies.find('a'), await copies.make('a', [fileOf('other')])]).toEqual([folder, folder])
    expect([copies.around(join(folder, '.parley')), copies.around('/var/tmp')]).toEqual([folder, null])
    copies.remove()
    expect(existsSync(folder)).toBe(false)
    await expect(copies.make('b', [])).rejects.toMatchObject({ data: { code: 'copiesTooLarge' } })
  })

  it('has nothing outside of its folder, and no more than its session may keep', async () => {
    const copies = createCopies(host)
    for (const path of ['../x', '/etc/x', 'a/../../x', '.', '..', 'a//b', './a', 'a/', 'a\0b'])
      expect(() => copies.make('a', [fileOf(path)]), path).toThrow('must be relative')
    const large = { ...fileOf('big'), dataBase64: 'A'.repeat(40 * 1024 * 1024) }
    await expect(copies.make('b', [large, large])).rejects.toMatchObject({ data: { code: 'copiesTooLarge' } })
    expect(await copies.find('b')).toBe(null)
    copies.remove()
  })

  it('without content counts all the same, and nothing is left of one that was being made when its session ended', async () => {
    const copies = createCopies(host)
    const empty = Array.from({ length: 300 }, (_, nth) => ({ ...fileOf(`${nth}`), dataBase64: '' }))
    const making = copies.make('a', empty)
    copies.remove()
    expect(existsSync(await making)).toBe(false)
    const others = createCopies({ ...host, startGuard: () => expect.unreachable() })
    const many = Array.from({ length: 20_000 }, (_, nth) => ({ ...fileOf(`${nth}`), dataBase64: '' }))
    await expect(others.make('b', many)).rejects.toMatchObject({ data: { code: 'copiesTooLarge' } })
  })
})
