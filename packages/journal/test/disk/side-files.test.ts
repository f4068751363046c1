import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { adoptSideFile, linkSideFiles, putSideFile, readSideFile, sideFileRefsIn } from '../../src/disk/side-files.ts'
import { failNth } from '../faulty-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const nameOf = (content: string | Buffer) => `sha256-${createHash('sha256').update(content).digest('hex')}`
const BIG = Buffer.alloc(2_500_000, 'abcdefg')

describe('a side file', () => {
  it('is named by its content and comes back as it was put', async () => {
    using folder = temporaryFolder()
    const store = join(folder.path, 'a.files')
    const ref = await putSideFile(nodeFiles, store, 'Grüße')
    expect(ref).toBe(nameOf('Grüße').replace('-', ':'))
    expect(sideFileRefsIn(JSON.stringify({ file: ref, same: ref }))).toEqual([ref])
    expect(readSideFile(nodeFiles, { folder: store, ref })?.toString()).toBe('Grüße')
    expect(readdirSync(store)).toEqual([nameOf('Grüße')])
  })

  it('that is long has every character, also where two pieces meet', async () => {
    using folder = temporaryFolder()
    const text = `${'x'.repeat(2 ** 18 - 1)}${'😀'.repeat(2 ** 20)}`
    const ref = await putSideFile(nodeFiles, folder.path, text)
    expect(ref).toBe(nameOf(text).replace('-', ':'))
    expect(readSideFile(nodeFiles, { folder: folder.path, ref })?.toString() === text).toBe(true)
  })

  it('that is long lets others run while it is put', async () => {
    using folder = temporaryFolder()
    let turns = 0
    const count = setInterval(() => turns++, 0)
    await putSideFile(nodeFiles, folder.path, 'x'.repeat(64 << 20))
    clearInterval(count)
    expect(turns).toBeGreaterThan(1)
  })

  it('is written once, however often it is put', async () => {
    using folder = temporaryFolder()
    const ref = await putSideFile(nodeFiles, folder.path, 'x')
    const before = statSync(join(folder.path, nameOf('x'))).ino
    expect(await putSideFile(nodeFiles, folder.path, Buffer.from('x'))).toBe(ref)
    expect(statSync(join(folder.path, nameOf('x'))).ino).toBe(before)
  })

  it('is read in part', async () => {
    using folder = temporaryFolder()
    const at = { folder: folder.path, ref: await putSideFile(nodeFiles, folder.path, '0123456789') }
    expect(readSideFile(nodeFiles, at, { offset: 3, length: 4 })?.toString()).toBe('3456')
    expect(readSideFile(nodeFiles, at, { offset: 8, length: 9 })?.toString()).toBe('89')
    expect(readSideFile(nodeFiles, at, { offset: 99, length: 1 })?.toString()).toBe('')
  })

  it('that is missing, was changed or has no proper name is null', async () => {
    using folder = temporaryFolder()
    const ref = await putSideFile(nodeFiles, folder.path, 'x')
    writeFileSync(join(folder.path, nameOf('x')), 'y')
    writeFileSync(join(folder.path, 'secret'), 'z')
    for (const wrong of [ref, `sha256:${'0'.repeat(64)}`, 'sha256:../secret', 'secret', '']) {
      expect(readSideFile(nodeFiles, { folder: folder.path, ref: wrong })).toBeNull()
    }
  })

  it('that cannot be written leaves nothing behind', async () => {
    using folder = temporaryFolder()
    for (const operation of ['write', 'sync', 'rename'] as const) {
      await expect(putSideFile(failNth(operation, 1, 'ENOSPC').files, folder.path, 'x')).rejects.toThrow('ENOSPC')
    }
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('an adopted spool', () => {
  it('is moved, hashed and made private', async () => {
    using folder = temporaryFolder()
    const spool = join(folder.path, 'spool')
    writeFileSync(spool, BIG, { mode: 0o644 })
    const store = join(folder.path, 'a.files')
    const ref = await adoptSideFile(nodeFiles, store, spool)
    expect(existsSync(spool)).toBe(false)
    expect(readSideFile(nodeFiles, { folder: store, ref })?.equals(BIG)).toBe(true)
    expect(statSync(join(store, nameOf(BIG))).mode & 0o777).toBe(0o600)
  })

  it('is removed when its content is stored already', async () => {
    using folder = temporaryFolder()
    const spool = join(folder.path, 'spool')
    writeFileSync(spool, 'x')
    const store = join(folder.path, 'a.files')
    const ref = await putSideFile(nodeFiles, store, 'x')
    expect(await adoptSideFile(nodeFiles, store, spool)).toBe(ref)
    expect(existsSync(spool)).toBe(false)
  })

  it('from another file system is copied', async () => {
    using folder = temporaryFolder()
    const spool = join(folder.path, 'spool')
    writeFileSync(spool, BIG)
    const store = join(folder.path, 'a.files')
    await adoptSideFile(failNth('rename', 1, 'EXDEV').files, store, spool)
    expect(existsSync(spool)).toBe(false)
    expect(readdirSync(store)).toEqual([nameOf(BIG)])
  })

  it('that is a link is refused', async () => {
    using folder = temporaryFolder()
    const target = join(folder.path, 'target')
    writeFileSync(target, 'mine')
    symlinkSync(target, join(folder.path, 'spool'))
    await expect(adoptSideFile(nodeFiles, folder.path, join(folder.path, 'spool'))).rejects.toThrow('ELOOP')
    expect(readFileSync(target, 'utf8')).toBe('mine')
  })
})

describe('a fork', () => {
  it('has the same side files under its own name, and keeps them when the first goes', async () => {
    using folder = temporaryFolder()
    const [from, to] = [join(folder.path, 'a.files'), join(folder.path, 'b.files')]
    const refs = [await putSideFile(nodeFiles, from, 'one'), await putSideFile(nodeFiles, from, BIG)]
    writeFileSync(join(from, 'stray.tmp'), '')
    await linkSideFiles(nodeFiles, from, to)
    await linkSideFiles(nodeFiles, from, to)
    expect(statSync(join(to, nameOf('one'))).nlink).toBe(2)
    rmSync(from, { recursive: true })
    expect(refs.map((ref) => readSideFile(nodeFiles, { folder: to, ref })?.length)).toEqual([3, BIG.length])
    expect(readdirSync(to)).toHaveLength(2)
  })

  it('copies where links are not possible', async () => {
    using folder = temporaryFolder()
    const [from, to] = [join(folder.path, 'a.files'), join(folder.path, 'b.files')]
    await putSideFile(nodeFiles, from, BIG)
    await linkSideFiles(failNth('link', 1, 'EPERM').files, from, to)
    expect(readFileSync(join(to, nameOf(BIG))).equals(BIG)).toBe(true)
    expect(statSync(join(to, nameOf(BIG))).nlink).toBe(1)
    expect(statSync(join(to, nameOf(BIG))).mode & 0o777).toBe(0o600)
  })

  it('of a conversation without side files makes no folder', async () => {
    using folder = temporaryFolder()
    await linkSideFiles(nodeFiles, join(folder.path, 'none'), join(folder.path, 'b.files'))
    expect(readdirSync(folder.path)).toEqual([])
  })
})
