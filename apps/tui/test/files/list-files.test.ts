import { pathToFileURL } from 'node:url'
import { tempWorkspace } from '@parley/testkit'
import type { FileList } from '@parley/text'
import { describe, expect, test } from 'vitest'
import { attachedImages, existingImages } from '../../src/files/attached-images.ts'
import { listFiles, listingCommand } from '../../src/files/list-files.ts'
import { after, turnStarted } from '../view/scenes/conversation.ts'

/** The lists of a listing by a program that prints these words, each with a NUL. */
async function listings(folder: string, words: readonly string[], program = '/bin/sh'): Promise<readonly FileList[]> {
  const lists: FileList[] = []
  const command = [program, '-c', 'for word; do printf "%s\\0" "$word"; done', 'sh', ...words] as const
  await listFiles({ command: [...command], folder, onFiles: (files) => lists.push(files) })
  return lists
}

describe('files of a folder', () => {
  test('are listed with their folders, without names that would be others in the text', async () => {
    await using workspace = await tempWorkspace()
    const [whole, ...more] = await listings(workspace.path, ['src/ui/a.ts', 'src/b c.ts', 'x\u001b[31m.ts', 'q"q.ts'])
    expect(whole).toMatchObject({ folder: workspace.path, isWhole: true })
    expect(whole?.paths).toEqual(['src/ui/', 'src/', 'src/ui/a.ts', 'src/b c.ts'])
    expect(more).toEqual([])
  })

  test('are none without the program', async () => {
    await using workspace = await tempWorkspace()
    expect(await listings(workspace.path, ['a'], '/nowhere/rg')).toMatchObject([{ count: 0, isWhole: true }])
  })

  test('are listed by the ripgrep that lies beside the program', async () => {
    await using workspace = await tempWorkspace({ files: { rg: '' } })
    const [program] = listingCommand(pathToFileURL(`${workspace.path}/parley.mjs`).href)
    expect(program).toBe(`${workspace.path}/rg`)
    expect(listingCommand(pathToFileURL(`${workspace.path}/src/main.ts`).href)[0]).toBe('rg')
  })
})

test('images that a message names are attached where they exist, unless the files lie elsewhere', async () => {
  await using workspace = await tempWorkspace({ files: { 'a.png': 'png', 'b c.gif': 'gif' } })
  const { core } = after(turnStarted)
  const here = { core: { ...core, meta: { ...core.meta, cwd: workspace.path } } }
  const text = 'see @a.png, @"b c.gif" and @gone.png'
  expect(attachedImages(text, here, false)).toEqual([`${workspace.path}/a.png`, `${workspace.path}/b c.gif`])
  expect(attachedImages(text, here, true)).toEqual([])
  const settings = { ...core.settings, environment: 'box' }
  expect(attachedImages(text, { core: { ...here.core, settings } }, false)).toEqual([])
})

test('pasted images are those of the first reading whose files all exist', async () => {
  await using workspace = await tempWorkspace({ files: { 'a.png': 'png', 'b c.gif': 'gif' } })
  const { path } = workspace
  expect(existingImages([['b\\ c.gif'], ['b c.gif']], path)).toEqual([`${path}/b c.gif`])
  expect(existingImages([[`${path}/a.png`, 'b c.gif']], '/')).toEqual([])
  expect(existingImages([['gone.png'], [path]], path)).toEqual([])
  expect(existingImages([[`${'x'.repeat(300)}.png`]], path)).toEqual([])
})
