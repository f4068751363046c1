import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { MAX_LINE_BYTES } from '../../src/line/check-line.ts'
import { splitLines } from '../../src/log/split-lines.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function split(content: string | Buffer, start = 0) {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a')
  writeFileSync(path, content)
  const file = nodeFiles.open(path, 'read')
  const lines = [...splitLines(nodeFiles, file, start)]
  nodeFiles.close(file)
  return lines.map(({ bytes, ...rest }) => ({ ...rest, text: bytes?.toString() ?? null }))
}

describe('splitting into lines', () => {
  it('gives each line with its place, and the piece after the last LF as unfinished', () => {
    expect(split('a\n\nbc')).toEqual([
      { byteOffset: 0, endOffset: 2, text: 'a', terminated: true },
      { byteOffset: 2, endOffset: 3, text: '', terminated: true },
      { byteOffset: 3, endOffset: 5, text: 'bc', terminated: false },
    ])
    expect(split('')).toEqual([])
  })

  it('begins at the given offset', () => {
    expect(split('a\nbc\n', 2)).toEqual([{ byteOffset: 2, endOffset: 5, text: 'bc', terminated: true }])
    expect(split('a\n', 2)).toEqual([])
  })

  it('puts lines together across chunks', () => {
    const lines = [300, 262_143, 1, 700_000, 262_144, 5].map((length, i) => String(i).repeat(length))
    expect(split(lines.map((line) => `${line}\n`).join('')).map(({ text }) => text)).toEqual(lines)
  })

  it('passes over a line that is too long to hold, and goes on after it', () => {
    const content = Buffer.alloc(MAX_LINE_BYTES + 300_000, 'x')
    content.write('\nafter\n', content.length - 7)
    const lines = split(content)
    expect(lines.map(({ text }) => text)).toEqual([null, 'after'])
    expect(lines[1]?.byteOffset).toBe(content.length - 6)
  })
})
