import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFiles, sessionPaths, thisProcess } from '@parley/journal'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createScratch, sweepScratch } from '../../src/limits/scratch.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-scratch-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

function scratchIn(folder: string, maxBytes = 1024 ** 2) {
  const told: string[] = []
  const use = { isInUse: false }
  const parts = { folder, isInUse: () => use.isInUse, onEmptied: () => void told.push('emptied'), maxBytes }
  return { scratch: createScratch(parts), told, use }
}

/** Makes 40 folders in each other with names of 200 letters, and a file of this size in the innermost. */
async function makeDeep(folder: string, sizeBytes: number): Promise<void> {
  const name = 'd'.repeat(200)
  const halves = ['upper', 'lower', 'lowest'].map((half) => join(root, half))
  for (const half of halves)
    mkdirSync(join(half, ...Array<string>(half.endsWith('t') ? 12 : 14).fill(name)), { recursive: true })
  const [upper = '', lower = '', lowest = ''] = halves
  const inner = Array<string>(14).fill(name)
  writeFileSync(join(lowest, ...Array<string>(12).fill(name), 'large'), Buffer.alloc(sizeBytes, 1))
  await rename(join(lowest, name), join(lower, ...inner, name))
  await rename(join(lower, name), join(upper, ...inner, name))
  await rename(join(upper, name), join(folder, name))
  for (const half of halves) rmSync(half, { recursive: true })
}

describe('the /tmp of a conversation', () => {
  it('is made private when first needed, and removed', async () => {
    const folder = join(root, 'scratch', 'a')
    const { scratch } = scratchIn(folder)
    await scratch.remove()
    expect(existsSync(folder)).toBe(false)
    expect(await scratch.ready()).toBe(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    await scratch.remove()
    expect(existsSync(folder)).toBe(false)
  })

  it('starts empty after a crash, and keeps files of this session', async () => {
    const folder = join(root, 'a')
    mkdirSync(folder)
    writeFileSync(join(folder, 'old'), 'x')
    const { scratch } = scratchIn(folder)
    await scratch.ready()
    writeFileSync(join(folder, 'new'), 'x')
    await scratch.ready()
    expect(readdirSync(folder)).toEqual(['new'])
  })

  it('is emptied when it is too large and nothing runs in it', async () => {
    const folder = join(root, 'a')
    const { scratch, told, use } = scratchIn(folder, 64 * 1024)
    await scratch.ready()
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'large'), Buffer.alloc(256 * 1024, 1))
    scratch.measure()
    use.isInUse = true
    await scratch.ready()
    expect(readdirSync(folder)).toEqual(['deep'])
    use.isInUse = false
    await scratch.ready()
    expect(readdirSync(folder)).toEqual([])
    expect(told).toEqual(['emptied'])
  })

  it('is measured while a command runs, and exceeding its quota is reported once', async () => {
    const folder = join(root, 'a')
    const { promise, resolve } = Promise.withResolvers<void>()
    let calls = 0
    const parts = { folder, isInUse: () => true, onEmptied: () => undefined, quotaBytes: 64 * 1024, everyMs: 5 }
    const scratch = createScratch(parts)
    await scratch.ready()
    const end = scratch.watch(() => {
      calls += 1
      resolve()
    })
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep', 'large'), Buffer.alloc(256 * 1024, 1))
    await promise
    end()
    expect(calls).toBe(1)
  })

  it.runIf(process.platform === 'linux')(
    'is measured and removed below paths that are too long for the system',
    async () => {
      const folder = join(root, 'a')
      const { scratch } = scratchIn(folder, 64 * 1024)
      await scratch.ready()
      await makeDeep(folder, 256 * 1024)
      const { promise, resolve } = Promise.withResolvers<void>()
      const parts = { folder, isInUse: () => true, onEmptied: () => undefined, quotaBytes: 64 * 1024, everyMs: 5 }
      const end = createScratch(parts).watch(resolve)
      await promise
      end()
      scratch.measure()
      await scratch.ready()
      expect(readdirSync(folder)).toEqual([])
      await makeDeep(folder, 1)
      await scratch.remove()
      expect(existsSync(folder)).toBe(false)
    },
  )

  it.runIf(process.platform === 'linux')(
    'is measured in folders that their owner cannot list, which stay so',
    async () => {
      const folder = join(root, 'a')
      const { scratch } = scratchIn(folder, 64 * 1024)
      await scratch.ready()
      const closed = join(folder, 'closed')
      mkdirSync(closed)
      writeFileSync(join(closed, 'small'), 'x')
      chmodSync(closed, 0o300)
      scratch.measure()
      await scratch.ready()
      expect(statSync(closed).mode & 0o777).toBe(0o300)
      chmodSync(closed, 0o700)
      writeFileSync(join(closed, 'large'), Buffer.alloc(256 * 1024, 1))
      chmodSync(closed, 0)
      scratch.measure()
      await scratch.ready()
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('is measured and emptied without following links', async () => {
    const folder = join(root, 'a')
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'mine'), Buffer.alloc(256 * 1024, 1))
    const { scratch } = scratchIn(folder, 64 * 1024)
    await scratch.ready()
    symlinkSync(outside, join(folder, 'link'))
    symlinkSync(join(outside, 'mine'), join(folder, 'file'))
    scratch.measure()
    await scratch.ready()
    expect(readdirSync(folder).sort()).toEqual(['file', 'link'])
    await scratch.remove()
    expect(readdirSync(outside)).toEqual(['mine'])
  })

  it('is removed with folders that have no permissions', async () => {
    const folder = join(root, 'a')
    const { scratch } = scratchIn(folder)
    await scratch.ready()
    mkdirSync(join(folder, 'closed'))
    writeFileSync(join(folder, 'closed', 'x'), 'x')
    chmodSync(join(folder, 'closed'), 0)
    await scratch.remove()
    expect(existsSync(folder)).toBe(false)
  })

  it('replaces a link in its place and leaves the target unchanged', async () => {
    const folder = join(root, 'a')
    const outside = join(root, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'mine'), 'x')
    symlinkSync(outside, folder)
    const { scratch } = scratchIn(folder)
    await scratch.ready()
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(outside)).toEqual(['mine'])
  })
})

describe('the sweep of /tmp folders that killed servers left', () => {
  const dead = '0190a0b0-0000-7000-8000-000000000001'
  const live = '0190a0b0-0000-7000-8000-000000000002'
  const cut = '0190a0b0-0000-7000-8000-000000000003'

  function pathsOf(id: string) {
    const paths = sessionPaths(root, id)
    if (paths === null) throw new Error(`${id} is no id`)
    return paths
  }

  it('leaves folders of running processes and foreign names in place', async () => {
    const { folder, owner } = pathsOf(live)
    mkdirSync(folder, { recursive: true })
    writeFileSync(owner, JSON.stringify(thisProcess(nodeFiles, { program: 'test', socket: null })))
    for (const name of [dead, `${cut}.swept`, live, 'other'])
      mkdirSync(join(root, 'scratch', name), { recursive: true })
    await sweepScratch(nodeFiles, root)
    expect(readdirSync(join(root, 'scratch')).sort()).toEqual([live, 'other'])
  })

  it('leaves the new folder of a conversation that is resumed meanwhile', async () => {
    const folder = join(root, 'scratch', dead)
    mkdirSync(join(folder, 'large'), { recursive: true })
    const swept = sweepScratch(nodeFiles, root)
    expect(existsSync(folder)).toBe(false)
    const { scratch } = scratchIn(folder)
    await scratch.ready()
    writeFileSync(join(folder, 'new'), 'x')
    await swept
    expect(readdirSync(join(root, 'scratch'))).toEqual([dead])
    expect(readdirSync(folder)).toEqual(['new'])
  })

  it('does nothing without such folders', async () => {
    await expect(sweepScratch(nodeFiles, root)).resolves.toBeUndefined()
  })
})
