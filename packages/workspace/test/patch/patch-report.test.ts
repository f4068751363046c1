import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { contentHash } from '../../src/patch/file-plan.ts'
import { failureText } from '../../src/patch/patch-report.ts'
import { patchOf, runPatch } from './patch-run.ts'

describe('report to the model', () => {
  it('groups added, modified and deleted files and shows a move under its new name', async () => {
    await using workspace = await tempWorkspace({ files: { d: '', m: '1\n', o: '1\n' } })
    const text = patchOf(
      '*** Delete File: d',
      '*** Update File: o',
      '*** Move to: p',
      '*** Update File: m',
      '-1',
      '*** Add File: a',
    )
    expect((await runPatch(text, workspace.path)).text).toBe(
      'Success. Updated the following files:\nA a\nM p\nM m\nD d',
    )
  })

  it('lists every failure and states that nothing was changed', async () => {
    await using workspace = await tempWorkspace({ files: { a: '1\n' } })
    const run = await runPatch(patchOf('*** Add File: a', '*** Delete File: b'), workspace.path)
    expect(run.text).toBe('a exists already; update it instead of adding it.\nb does not exist.\nNo file was changed.')
  })

  it('lists the files that changed nevertheless', () => {
    const failure = { code: 'fileError', path: 'a', line: null, message: 'a could not be written: disk full.' } as const
    const text = failureText(
      [failure],
      [
        { path: '/w/a', state: 'old' },
        { path: '/w/b', state: 'new' },
        { path: '/w/c', state: 'other' },
      ],
    )
    expect(text).toBe(
      'a could not be written: disk full.\nThese files are not as they were before:\n/w/b: as after the patch\n/w/c: neither as before nor as after the patch',
    )
  })
})

describe('contentHash', () => {
  it('hashes exact bytes', () => {
    expect(contentHash('a\n')).toBe(contentHash(Buffer.from('a\n')))
    expect(contentHash('a\n')).not.toBe(contentHash('a\r\n'))
    expect(contentHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })
})
