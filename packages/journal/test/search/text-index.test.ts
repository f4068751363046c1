import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/disk/files.ts'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { sessionPaths } from '../../src/disk/session-paths.ts'
import { decodeLine, encodeLine } from '../../src/line/line.ts'
import { encodeHeader, newHeader } from '../../src/log/header.ts'
import { textOf } from '../../src/log/read-log.ts'
import type { SearchedTexts } from '../../src/search/indexed-logs.ts'
import { searchWords } from '../../src/search/search-words.ts'
import { openTextIndex, searchIndexPath, type TextIndex } from '../../src/search/text-index.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const texts: SearchedTexts = {
  version: 1,
  types: new Set(['said']),
  reader: () => (line) => String(decodeLine(textOf(line))?.event['text'] ?? ''),
}

function idOf(n: number): string {
  const clock = (Date.UTC(2025, 2, 1) + n * 86_400_000).toString(16).padStart(12, '0')
  return `${clock.slice(0, 8)}-${clock.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

const pathOf = (home: string, n: number) => sessionPaths(home, idOf(n))?.log ?? ''

const lineOf = (seq: number, text: string, type = 'said') =>
  `${encodeLine({ seq, at: 1, event: { type, text } }).text}\n`

/** Writes a log with a line for each text; later ones are older. */
function write(home: string, n: number, ...said: readonly string[]): void {
  const path = pathOf(home, n)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, [`${encodeHeader(newHeader(idOf(n)))}\n`, ...said.map((text, i) => lineOf(i + 1, text))].join(''))
  utimesSync(path, 2_000_000_000 - n, 2_000_000_000 - n)
}

const open = (home: string, more: { limitBytes?: number; version?: number } = {}) => {
  const { version = texts.version, ...limit } = more
  return openTextIndex({ files: nodeFiles, home, texts: { ...texts, version }, ...limit })
}

/** Reads all that is due. Returns the number of logs that were. */
function fill(index: TextIndex): number {
  const due = index.survey()
  for (const log of due) while (index.readOn(log)) index.leftOut()
  return due.length
}

function found(index: TextIndex, typed: string): readonly (readonly [n: number, lines: number])[] {
  const numbers = new Map(Array.from({ length: 100 }, (_, n) => [idOf(n), n]))
  return index
    .find(searchWords(typed))
    .map(({ id, lines }) => [numbers.get(id) ?? -1, lines] as const)
    .sort(([a], [b]) => a - b)
}

describe('the index of texts', () => {
  it('finds the logs that have all words, those first that have them in one line', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'the kafka consumer', 'retries for ever')
    write(folder.path, 2, 'kafka does not retry', 'a retry of Kafka')
    write(folder.path, 3, 'only kafka')
    using index = open(folder.path)
    expect(fill(index)).toBe(3)
    expect(index.find(searchWords('kafka retr')).map(({ id, lines }) => [id, lines])).toEqual([
      [idOf(2), 2],
      [idOf(1), 0],
    ])
    expect(found(index, 'kafka')).toEqual([
      [1, 1],
      [2, 2],
      [3, 1],
    ])
    expect(found(index, '"does not"')).toEqual([[2, 1]])
    expect(found(index, 'nowhere')).toEqual([])
  })

  it('names the newest line with the words, which has them', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'needle one', 'hay', 'needle two', 'hay')
    using index = open(folder.path)
    fill(index)
    const [hit] = index.find(searchWords('needle'))
    const line = readFileSync(pathOf(folder.path, 1)).subarray(hit?.byteOffset).toString().split('\n')[0] ?? ''
    expect(decodeLine(line)?.event['text']).toBe('needle two')
  })

  it('finds a word without its accents, and characters of scripts without blanks', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'das Café in Zürich')
    write(folder.path, 2, 'これは日本語のテストです')
    using index = open(folder.path)
    fill(index)
    expect(found(index, 'cafe zurich')).toEqual([[1, 1]])
    expect(found(index, '日本語')).toEqual([[2, 1]])
    expect(found(index, '本日')).toEqual([])
  })

  it('reads nothing again of logs that stayed as they are, and the new end of one that grew', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'first')
    write(folder.path, 2, 'second')
    using index = open(folder.path)
    expect([fill(index), fill(index)]).toEqual([2, 0])
    appendFileSync(pathOf(folder.path, 1), lineOf(2, 'first again'))
    expect(fill(index)).toBe(1)
    expect(found(index, 'first')).toEqual([[1, 2]])
  })

  it('reads a line once it is whole', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'first')
    const line = lineOf(2, 'second')
    appendFileSync(pathOf(folder.path, 1), line.slice(0, 30))
    using index = open(folder.path)
    fill(index)
    expect(found(index, 'second')).toEqual([])
    appendFileSync(pathOf(folder.path, 1), line.slice(30))
    fill(index)
    expect(found(index, 'second')).toEqual([[1, 1]])
  })

  it('reads a log anew that was written over, cut or replaced', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'before', 'more')
    using index = open(folder.path)
    fill(index)
    write(folder.path, 1, 'afterwards', 'more', 'and more than there was before it')
    fill(index)
    expect([found(index, '"before"'), found(index, 'afterwards')]).toEqual([[[1, 1]], [[1, 1]]])
    write(folder.path, 1, 'short')
    fill(index)
    expect([found(index, 'afterwards'), found(index, 'short')]).toEqual([[], [[1, 1]]])
  })

  it('forgets logs that are gone, and their words leave the file', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'ordinary talk')
    write(folder.path, 2, 'ßßsecretßßwordßß')
    using index = open(folder.path)
    fill(index)
    const isInFile = () =>
      ['', '-wal'].some((ending) => readFileSync(`${searchIndexPath(folder.path)}${ending}`).includes('secretßßword'))
    expect(isInFile()).toBe(true)
    rmSync(pathOf(folder.path, 2))
    fill(index)
    while (!index.purge()) index.leftOut()
    expect(found(index, 'ßßsecretßßwordßß')).toEqual([])
    expect(found(index, 'ordinary')).toEqual([[1, 1]])
    expect(isInFile()).toBe(false)
  })

  it('is kept, readable by its user alone', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'kept')
    open(folder.path)[Symbol.dispose]()
    {
      using index = open(folder.path)
      fill(index)
    }
    using again = open(folder.path)
    expect(fill(again)).toBe(0)
    expect(found(again, 'kept')).toEqual([[1, 1]])
    expect(statSync(searchIndexPath(folder.path)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is no database', Buffer.from('this is not a database, however long it may be'.repeat(100))],
    ['is empty', Buffer.alloc(0)],
    ['has lost its first page', Buffer.alloc(4096)],
  ])('is made anew where the file %s', (_, content) => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'there')
    {
      using index = open(folder.path)
      fill(index)
    }
    writeFileSync(searchIndexPath(folder.path), content)
    using index = open(folder.path)
    expect(fill(index)).toBe(1)
    expect(found(index, 'there')).toEqual([[1, 1]])
  })

  it('never fails and never finds what is not there, whichever page of it is overwritten', () => {
    using folder = temporaryFolder()
    for (let n = 1; n <= 20; n++) write(folder.path, n, `word${n} `.repeat(50), 'shared')
    {
      using index = open(folder.path)
      fill(index)
    }
    const path = searchIndexPath(folder.path)
    const whole = readFileSync(path)
    for (let page = 0; page * 4096 < whole.length; page++) {
      writeFileSync(path, Buffer.from(whole).fill(0xa5, page * 4096, (page + 1) * 4096))
      using index = open(folder.path)
      // The first request may find the damage; those after it have an index that is made anew, or one that was not hit.
      index.find(searchWords('word7'))
      fill(index)
      index.find(searchWords('word7'))
      fill(index)
      expect(found(index, 'word7 shared').every(([n]) => n === 7)).toBe(true)
    }
  })

  it('takes the place of a link, and leaves what that leads to as it is', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'there')
    open(folder.path)[Symbol.dispose]()
    const path = searchIndexPath(folder.path)
    const elsewhere = join(folder.path, 'elsewhere.sqlite')
    renameSync(path, elsewhere)
    const before = readFileSync(elsewhere)
    symlinkSync(elsewhere, path)
    using index = open(folder.path)
    fill(index)
    expect(found(index, 'there')).toEqual([[1, 1]])
    expect(readFileSync(elsewhere).equals(before)).toBe(true)
  })

  it('says that a folder is in its place, and removes nothing', () => {
    using folder = temporaryFolder()
    mkdirSync(searchIndexPath(folder.path), { recursive: true })
    expect(() => open(folder.path)).toThrow(StorageError)
    expect(statSync(searchIndexPath(folder.path)).isDirectory()).toBe(true)
  })

  it('of another version is made anew', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, 'there')
    {
      using index = open(folder.path)
      fill(index)
    }
    using index = open(folder.path, { version: 2 })
    expect(fill(index)).toBe(1)
  })

  it('shared by two that read at once has each line once', () => {
    using folder = temporaryFolder()
    for (let n = 1; n <= 5; n++) write(folder.path, n, 'shared')
    using one = open(folder.path)
    using other = open(folder.path)
    const due = [one.survey(), other.survey()]
    expect(due.map((logs) => logs.length)).toEqual([5, 5])
    for (const log of due[0] ?? []) for (const index of [one, other]) index.readOn(log)
    expect(found(other, 'shared').map(([, lines]) => lines)).toEqual([1, 1, 1, 1, 1])
  })

  it('over its limit is made anew with the newest logs, and says how many are left out', () => {
    using folder = temporaryFolder()
    const words = (n: number) => Array.from({ length: 2000 }, (_, i) => `w${n}x${i}`).join(' ')
    for (let n = 1; n <= 20; n++) write(folder.path, n, words(n))
    const limitBytes = 300_000
    using index = open(folder.path, { limitBytes })
    fill(index)
    expect(index.leftOut()).toBe(0)
    fill(index)
    const leftOut = index.leftOut()
    expect(leftOut).toBeGreaterThan(0)
    expect(leftOut).toBeLessThan(20)
    expect(found(index, 'w1x7')).toEqual([[1, 1]])
    expect(found(index, 'w20x7')).toEqual([])
    expect(fill(index)).toBe(0)
    write(folder.path, 0, 'the newest of all')
    fill(index)
    expect(found(index, 'newest')).toEqual([[0, 1]])
  })

  it('reads on in a long log part by part', () => {
    using folder = temporaryFolder()
    write(folder.path, 1, ...Array.from({ length: 30 }, (_, i) => `part${i} ${'filler '.repeat(10_000)}`))
    using index = open(folder.path)
    const [log] = index.survey()
    if (log === undefined) throw new Error('no log')
    expect(index.readOn(log)).toBe(true)
    expect(found(index, 'part29')).toEqual([])
    expect(found(index, 'part0')).toEqual([[1, 1]])
    fill(index)
    expect(found(index, 'part29')).toEqual([[1, 1]])
    expect(found(index, 'filler')).toEqual([[1, 30]])
  })
})
