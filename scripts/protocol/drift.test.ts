import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driftOf } from './drift.mjs'

describe('driftOf', () => {
  it('finds nothing where the files are as they should be', () => {
    expect(driftOf(new Map([['a.md', 'one\n']]), folderWith({ 'a.md': 'one\n' }))).toEqual([])
  })

  it('names the first line that differs, as it is and as it should be', () => {
    const drifted = driftOf(new Map([['a.md', 'one\ntwo\n']]), folderWith({ 'a.md': 'one\n2\n' }))
    expect(drifted).toEqual([{ name: 'a.md', problem: 'line 2 is "2" and should be "two"' }])
  })

  it('names lines that are too many and lines that are missing', () => {
    const folder = folderWith({ 'long.md': 'one\ntwo\nthree', 'short.md': 'one' })
    expect(
      driftOf(
        new Map([
          ['long.md', 'one'],
          ['short.md', 'one\ntwo'],
        ]),
        folder,
      ),
    ).toEqual([
      { name: 'long.md', problem: 'line 2 is "two" and should be not there' },
      { name: 'short.md', problem: 'line 2 is not there and should be "two"' },
    ])
  })

  it('says that a file is missing', () => {
    expect(driftOf(new Map([['a.md', 'one']]), folderWith({}))).toEqual([{ name: 'a.md', problem: 'is missing' }])
  })
})

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-drift-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
