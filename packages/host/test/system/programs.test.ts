import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findProgram, programFolders } from '../../src/system/programs.ts'
import { openWorkspace } from '../workspace.ts'

describe('the folders for the programs of a sandbox', () => {
  it('are the system first, and of PATH only trusted ones', () => {
    const path = [
      '/home/ann/project/node_modules/.bin',
      'bin',
      '',
      '.',
      '/tmp/bin',
      '/opt/project/bin',
      '/usr/src/app/node_modules/.bin',
      '/usr/local/../../tmp/bin',
      '/usr/localbin',
      '/usr/local/src/app/node_modules/.bin',
      '/nix/store/abc-bubblewrap/bin',
      '/usr/bin',
    ]
    const folders = programFolders(path.join(':'))
    expect(folders[0]).toBe('/usr/bin')
    expect(folders.at(-1)).toBe('/nix/store/abc-bubblewrap/bin')
    expect(folders.filter((folder) => path.includes(folder))).toEqual(['/usr/bin', '/nix/store/abc-bubblewrap/bin'])
    expect(new Set(folders).size).toBe(folders.length)
  })
})

describe('a found program', () => {
  it('is the first executable one, by its real path', () => {
    using workspace = openWorkspace()
    const folders = ['missing', 'plain', 'empty', 'open', 'linked'].map((name) => workspace.path(name))
    for (const folder of folders.slice(1)) mkdirSync(folder, { recursive: true })
    const make = (path: string, text: string, mode: number) => {
      writeFileSync(workspace.path(path), text)
      chmodSync(workspace.path(path), mode)
    }
    make('plain/tool', '#!/bin/sh', 0o644)
    make('empty/tool', '', 0o755)
    make('open/tool', '#!/bin/sh', 0o757)
    make('real', '#!/bin/sh', 0o755)
    symlinkSync(workspace.path('real'), workspace.path('linked/tool'))
    expect(findProgram('tool', folders)?.path).toBe(realpathSync(workspace.path('real')))
    expect(findProgram('tool', folders.slice(0, 4))).toBeNull()
  })
})
