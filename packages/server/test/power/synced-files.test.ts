import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeSyncedFile, replaceSyncedFile } from '@parley/journal'
import { lossesOf, recordDisk, tempDirectory, treeAfter, writeTree } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

describe('a file that is made synced', () => {
  it('is for its owner alone, and made once', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'token')
    expect([makeSyncedFile(path, 'first'), makeSyncedFile(path, 'second')]).toEqual([true, false])
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['first', 0o600])
    expect(await readdir(folder.path)).toEqual(['token'])
  })

  it('is not replaced when it has changed meanwhile', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'rules')
    writeFileSync(path, 'old')
    expect(replaceSyncedFile(path, { content: 'new', mode: 0o640 }, () => false)).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(replaceSyncedFile(path, { content: 'new', mode: 0o640 }, () => true)).toBe(true)
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o640])
    expect(await readdir(folder.path)).toEqual(['rules'])
  })

  it('is there whole after a loss of power once it is made, and whole or not at all before', async () => {
    await using folder = await tempDirectory()
    const path = join(folder.path, 'key')
    using recorder = await recordDisk(folder.path)
    makeSyncedFile(path, 'first')
    recorder.note('made')
    replaceSyncedFile(path, { content: 'second', mode: 0o600 }, () => true)
    recorder.note('replaced')
    recorder[Symbol.dispose]()
    const { recording } = recorder
    const { operations } = recording
    for (let length = 0; length <= operations.length; length++) {
      const notes = operations.slice(0, length).flatMap((one) => (one.kind === 'note' ? [one.note] : []))
      const allowed = notes.includes('replaced')
        ? ['second']
        : notes.includes('made')
          ? ['first', 'second']
          : ['', 'first']
      for (let loss = 0; loss < 9; loss++) {
        const tree = treeAfter(recording, length, lossesOf(loss))
        writeTree(folder.path, tree)
        const found = (await readdir(folder.path)).includes('key') ? readFileSync(path, 'utf8') : ''
        expect(allowed).toContain(found)
      }
    }
  })
})
