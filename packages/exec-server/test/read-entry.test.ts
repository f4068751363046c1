import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../src/files/read-entry.ts'

/** Folder with a link to a file, and a file elsewhere. */
async function linked() {
  await using stack = new AsyncDisposableStack()
  const { path: root } = stack.use(await tempDirectory())
  const at = (name: string) => join(root, name)
  for (const folder of ['work', 'out']) mkdirSync(at(folder))
  writeFileSync(at('work/file'), '12')
  writeFileSync(at('out/file'), 'elsewhere')
  symlinkSync(at('work/file'), at('work/link'))
  const disposal = stack.move()
  const look = (own: string, target = own) =>
    readMetadata({ path: at(own), exact: true }, { path: at(target), exact: true })
  return { at, look, [Symbol.asyncDispose]: () => disposal.disposeAsync() }
}

describe('what is said of a file that was judged', () => {
  it('is of the file and of what its link leads to', async () => {
    await using place = await linked()
    expect(await place.look('work/file')).toMatchObject({ isFile: true, isSymlink: false, size: 2, executable: false })
    const link = { isFile: true, isSymlink: true, size: 2, linkTarget: place.at('work/file') }
    expect(await place.look('work/link', 'work/file')).toMatchObject(link)
  })

  it('is nothing of what another link leads to that was put there since', async () => {
    await using place = await linked()
    rmSync(place.at('work/file'))
    symlinkSync(place.at('out/file'), place.at('work/file'))
    const own = { isFile: false, isSymlink: true, executable: false }
    expect(await place.look('work/link', 'work/file')).toMatchObject({ ...own, linkTarget: place.at('work/file') })
    expect(await place.look('work/file')).toMatchObject({ ...own, linkTarget: place.at('out/file') })
  })

  it('is nothing where a folder on the way is a link by now', async () => {
    await using place = await linked()
    renameSync(place.at('work'), place.at('old'))
    symlinkSync(place.at('out'), place.at('work'))
    await expect(place.look('work/file')).rejects.toMatchObject({ code: expect.stringMatching(/^(ELOOP|ENOTDIR)$/) })
  })
})
