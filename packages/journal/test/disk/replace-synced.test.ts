import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceSynced } from '../../src/disk/file-io.ts'
import { faultyFiles, type Operation } from '../faulty-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe('a file that is replaced with a sync', () => {
  it('takes its name after its content is on the disk, for its user alone', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'kept')
    const done: Operation[] = []
    const { files } = faultyFiles((operation) => {
      done.push(operation)
      return null
    })
    await replaceSynced(files, path, 'new')
    expect(done.filter((operation) => /sync|rename/.test(operation))).toEqual(['sync', 'rename', 'syncFolder'])
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it.each<Operation>(['write', 'sync', 'rename'])(
    'is as it was after a failed %s, with nothing beside it',
    async (at) => {
      using folder = temporaryFolder()
      const path = join(folder.path, 'kept')
      writeFileSync(path, 'old')
      const { files } = faultyFiles((operation) => (operation === at ? 'EIO' : null))
      await expect(replaceSynced(files, path, 'new')).rejects.toMatchObject({ code: 'EIO' })
      expect(readFileSync(path, 'utf8')).toBe('old')
      expect(readdirSync(folder.path)).toEqual(['kept'])
    },
  )
})
