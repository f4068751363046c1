import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Survives, treeAfter } from '../../src/disk/lose-power.ts'
import { recordDisk } from '../../src/disk/record-disk.ts'
import { describeTree, readTree, writeTree } from '../../src/disk/tree-files.ts'
import { tempDirectory } from '../../src/temp.ts'

/** Does everything that a recording must know. */
async function useDisk(root: string): Promise<void> {
  const at = (name: string) => join(root, name)
  fs.writeFileSync(at('replaced'), 'new and longer')
  fs.mkdirSync(at('a/b/c'), { recursive: true })
  const appended = fs.openSync(at('a/appended'), 'a', 0o600)
  fs.writeSync(appended, 'text')
  fs.writeSync(appended, Buffer.from('--bytes--'), 2, 5)
  fs.fsyncSync(appended)
  fs.ftruncateSync(appended, 6)
  fs.writeSync(appended, 'end')
  fs.closeSync(appended)
  fs.appendFileSync(at('a/appended'), 'more')
  fs.renameSync(at('a/appended'), at('moved'))
  fs.linkSync(at('moved'), at('second'))
  fs.symlinkSync('moved', at('link'))
  fs.appendFileSync(at('link'), 'through a link')
  await using handle = await open(at('a/handle'), 'w+', 0o600)
  await handle.writeFile('by a handle')
  await handle.write(Buffer.from('BY'), 0, 2, 0)
  await handle.chmod(0o644)
  await handle.sync()
  await fs.promises.copyFile(at('replaced'), at('a/copy'))
  await fs.promises.writeFile(at('gone'), 'x')
  await fs.promises.unlink(at('gone'))
  fs.mkdirSync(at('tree/of/folders'), { recursive: true })
  fs.writeFileSync(at('tree/of/files'), Buffer.alloc(2000, 'f'))
  await fs.promises.rm(at('tree'), { recursive: true })
  const temporary = fs.mkdtempSync(at('t-'))
  fs.writeFileSync(join(temporary, 'f'), 'kept')
  const folder = fs.openSync(join(root, 'a'), 'r')
  await new Promise<void>((resolve) => fs.writeFile(`/proc/self/fd/${folder}/by-folder`, 'cb', () => resolve()))
  fs.closeSync(folder)
}

describe('a recording of what is done to a folder', () => {
  it('leads from what was there to what is there', async () => {
    await using folder = await tempDirectory()
    fs.writeFileSync(join(folder.path, 'replaced'), 'old')
    fs.mkdirSync(join(folder.path, 'before'))
    using recorder = await recordDisk(folder.path)
    await useDisk(folder.path)
    const { recording } = recorder
    const whole = treeAfter(recording, recording.operations.length, () => true)
    expect(describeTree(whole)).toEqual(describeTree(readTree(folder.path)))
    expect(describeTree(whole).size).toBeGreaterThan(10)
    recorder[Symbol.dispose]()
    writeTree(folder.path, whole)
    expect(describeTree(readTree(folder.path))).toEqual(describeTree(whole))
  })
})

describe('a loss of power', () => {
  const lost = () => false

  /** Returns the tree after a loss of power behind some work, with the given survivors of the unsynced rest. */
  async function left(work: (root: string) => void, survives: Survives): Promise<Readonly<Record<string, string>>> {
    await using folder = await tempDirectory()
    fs.writeFileSync(join(folder.path, 'old'), 'old')
    using recorder = await recordDisk(folder.path)
    work(folder.path)
    const { recording } = recorder
    return Object.fromEntries(describeTree(treeAfter(recording, recording.operations.length, survives)))
  }

  function write(path: string, text: string, isSynced: boolean): void {
    const file = fs.openSync(path, 'a', 0o600)
    fs.writeSync(file, text)
    if (isSynced) fs.fsyncSync(file)
    fs.closeSync(file)
  }

  function syncFolder(path: string): void {
    const folder = fs.openSync(path, 'r')
    fs.fsyncSync(folder)
    fs.closeSync(folder)
  }

  it('leaves what was synced with its folder, and nothing else for certain', async () => {
    const work = (root: string) => {
      write(join(root, 'a'), 'synced', true)
      syncFolder(root)
      write(join(root, 'a'), ' and not', false)
      write(join(root, 'b'), 'no folder', true)
    }
    expect(await left(work, lost)).toEqual({ '/': '', '/a': 'synced', '/old': 'old' })
    expect(await left(work, () => true)).toEqual({ '/': '', '/a': 'synced and not', '/b': 'no folder', '/old': 'old' })
  })

  it('may leave a name without its content, which reads as nothing or as zeros', async () => {
    const work = (root: string) => write(join(root, 'a'), 'text', false)
    expect(await left(work, (_, { kind }) => kind !== 'write')).toMatchObject({ '/a': '' })
    expect(await left(work, (_, { kind }, part) => kind !== 'write' || part === null)).toMatchObject({
      '/a': '\0\0\0\0',
    })
  })

  it('tears a write where its sectors end', async () => {
    const work = (root: string) => {
      write(join(root, 'a'), 'x'.repeat(500), true)
      write(join(root, 'a'), 'y'.repeat(1000), false)
    }
    const second = await left(work, (_, { kind }, part) => kind !== 'write' || part === 1)
    expect(second['/a']).toBe(`${'x'.repeat(500)}${'\0'.repeat(12)}${'y'.repeat(512)}`)
  })

  it('leaves a moved file under one of its names, whichever of the folders was synced', async () => {
    const work = (root: string) => {
      fs.mkdirSync(join(root, 'folder'))
      syncFolder(root)
      fs.renameSync(join(root, 'old'), join(root, 'folder', 'new'))
    }
    expect(await left(work, lost)).toEqual({ '/': '', '/folder/': '', '/old': 'old' })
    const synced = (root: string) => {
      work(root)
      syncFolder(join(root, 'folder'))
    }
    expect(await left(synced, lost)).toEqual({ '/': '', '/folder/': '', '/folder/new': 'old' })
  })
})
