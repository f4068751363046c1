import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { followLinks, realPathsAmong } from '../../src/index.ts'

test('many paths are resolved as each by itself: present, missing, links, dangling links, missing folders', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-real-paths-')))
  try {
    mkdirSync(join(folder, 'there'))
    writeFileSync(join(folder, 'there', 'file'), '')
    symlinkSync('there', join(folder, 'link'))
    symlinkSync('nowhere', join(folder, 'dangling'))
    symlinkSync('../nowhere/x', join(folder, 'there', 'out'))
    const names = ['there', 'there/file', 'there/none', 'link', 'link/file', 'link/none', 'link/out', 'dangling']
    const paths = [...names, 'dangling/below', 'none', 'none/below', 'none/beside', 'there/file/below']
      .map((name) => join(folder, name))
      .concat('/', '/nothing-here')
    expect(realPathsAmong(paths)).toEqual(paths.map((path) => followLinks(path).real))
    expect(realPathsAmong([join(folder, 'link/none')])).toEqual([join(folder, 'there/none')])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
