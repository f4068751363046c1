import {
  appendFileSync,
  mkdirSync,
  readdirSync,
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
import type { Files } from '../../src/disk/files.ts'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { sessionPaths, walkSessions } from '../../src/disk/session-paths.ts'
import { decodeLine, encodeLine } from '../../src/line/line.ts'
import { encodeHeader, newHeader } from '../../src/log/header.ts'
import { EXCERPT_BYTES } from '../../src/sessions/log-excerpt.ts'
import { type ListingRows, type LogExcerpt, listSessions } from '../../src/sessions/session-index.ts'
import { countedReads } from '../counted-reads.ts'
import { faultyFiles } from '../faulty-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

interface TestRow {
  readonly title: string
  readonly lastSeq: number
}

function describeLog({ headLines, tailLines }: LogExcerpt): TestRow | null {
  const envelopes = [...headLines, ...tailLines].flatMap((line) => decodeLine(line) ?? [])
  const title = envelopes[0]?.event['title']
  return typeof title === 'string' ? { title, lastSeq: envelopes.at(-1)?.seq ?? 0 } : null
}

const ROWS: ListingRows<TestRow> = {
  fileName: 'index.jsonl',
  version: 1,
  tellingTypes: new Set(['named']),
  goesOn: false,
  describe: describeLog,
  isRow: (value): value is TestRow => typeof value === 'object' && value !== null && 'title' in value,
}

/** Ids spread over `days` days. */
function idOf(n: number, days = 40): string {
  const ms = Date.UTC(2025, 2, 1) + (n % days) * 86_400_000 + n
  const clock = ms.toString(16).padStart(12, '0')
  return `${clock.slice(0, 8)}-${clock.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`
}

function pathOf(home: string, n: number): string {
  return sessionPaths(home, idOf(n))?.log ?? ''
}

function writeSession(home: string, n: number, events = 2): string {
  const path = pathOf(home, n)
  mkdirSync(dirname(path), { recursive: true })
  const lines = Array.from(
    { length: events },
    (_, i) =>
      encodeLine({ seq: i + 1, at: 1, event: { type: 'x', title: `session ${n}`, text: 'y'.repeat(100) } }).text,
  )
  writeFileSync(path, [encodeHeader(newHeader(idOf(n))), ...lines].map((line) => `${line}\n`).join(''))
  return path
}

const titles = (listed: readonly { row: TestRow }[]) => listed.map(({ row }) => row.title).sort()

/** Counts what is opened, to tell a read row from a made one. */
function countingFiles(): { files: Files; opened: string[] } {
  const opened: string[] = []
  const open: Files['open'] = (path, access) => {
    if (access === 'read') opened.push(path)
    return nodeFiles.open(path, access)
  }
  return { files: { ...nodeFiles, open }, opened }
}

describe('listing conversations', () => {
  it('of a new home is empty and writes nothing', async () => {
    using folder = temporaryFolder()
    expect(await listSessions(nodeFiles, folder.path, ROWS)).toEqual([])
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('rebuilds 2,000 from their logs and then reads only the index', async () => {
    using folder = temporaryFolder()
    for (let n = 0; n < 2000; n++) writeSession(folder.path, n)
    const rebuilt = await listSessions(nodeFiles, folder.path, ROWS)
    expect(new Set(rebuilt.map(({ id }) => id))).toEqual(new Set(Array.from({ length: 2000 }, (_, n) => idOf(n))))
    for (const { id, row } of rebuilt) expect(row.title).toBe(`session ${Number.parseInt(id.slice(-12), 16)}`)
    const { files, opened } = countingFiles()
    expect(await listSessions(files, folder.path, ROWS)).toEqual(rebuilt)
    expect(opened).toEqual([join(folder.path, 'sessions', 'index.jsonl')])
  }, 30_000)

  it('has the one written last first', async () => {
    using folder = temporaryFolder()
    for (const n of [1, 2, 3]) utimesSync(writeSession(folder.path, n), 0, [50, 90, 70][n - 1] ?? 0)
    const listed = await listSessions(nodeFiles, folder.path, ROWS)
    expect(listed.map(({ row }) => row.title)).toEqual(['session 2', 'session 3', 'session 1'])
    expect(listed[0]).toMatchObject({ id: idOf(2), path: pathOf(folder.path, 2), modifiedAtMs: 90_000 })
  })

  it('reads again only what was written, made or deleted since', async () => {
    using folder = temporaryFolder()
    for (const n of [1, 2, 3]) writeSession(folder.path, n)
    await listSessions(nodeFiles, folder.path, ROWS)
    appendFileSync(pathOf(folder.path, 1), `${encodeLine({ seq: 9, at: 1, event: { type: 'x' } }).text}\n`)
    writeSession(folder.path, 4)
    rmSync(pathOf(folder.path, 2))
    const { files, opened } = countingFiles()
    const listed = await listSessions(files, folder.path, ROWS)
    expect(titles(listed)).toEqual(['session 1', 'session 3', 'session 4'])
    expect(listed.find(({ id }) => id === idOf(1))?.row.lastSeq).toBe(9)
    expect(opened.slice(1).sort()).toEqual([pathOf(folder.path, 1), pathOf(folder.path, 4)].sort())
    expect(await listSessions(nodeFiles, folder.path, ROWS)).toEqual(listed)
  })

  it('is right with an index that is damaged anywhere, of another version, or gone', async () => {
    using folder = temporaryFolder()
    for (const n of [1, 2]) writeSession(folder.path, n)
    const right = await listSessions(nodeFiles, folder.path, ROWS)
    const index = join(folder.path, 'sessions', 'index.jsonl')
    const good = readFileSync(index)
    for (let at = 0; at < good.length; at++) {
      const flipped = Buffer.from(good)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      for (const content of [flipped, good.subarray(0, at)]) {
        writeFileSync(index, content)
        expect(await listSessions(nodeFiles, folder.path, ROWS)).toEqual(right)
      }
    }
    rmSync(index)
    expect(await listSessions(nodeFiles, folder.path, ROWS)).toEqual(right)
    const renamed = { ...ROWS, version: 2, describe: () => ({ title: 'new', lastSeq: 0 }) }
    expect(titles(await listSessions(nodeFiles, folder.path, renamed))).toEqual(['new', 'new'])
  })

  it('leaves out what is no log of ours, and what has nothing to show', async () => {
    using folder = temporaryFolder()
    const path = writeSession(folder.path, 1)
    writeFileSync(pathOf(folder.path, 41), '')
    writeFileSync(join(dirname(path), `${idOf(2)}.jsonl`), readFileSync(path))
    writeFileSync(join(dirname(path), 'notes.jsonl'), 'x')
    writeFileSync(join(folder.path, 'sessions', '2024'), 'no folder')
    symlinkSync(path, pathOf(folder.path, 81))
    expect(titles(await listSessions(nodeFiles, folder.path, ROWS))).toEqual(['session 1'])
    expect(
      walkSessions(nodeFiles, folder.path)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([idOf(1), idOf(41), idOf(81)])
  })

  it('of a long log gives whole lines from both ends', async () => {
    using folder = temporaryFolder()
    const path = writeSession(folder.path, 1, 2000)
    const seen: LogExcerpt[] = []
    const rows = {
      ...ROWS,
      describe: (excerpt: LogExcerpt) => {
        seen.push(excerpt)
        return describeLog(excerpt)
      },
    }
    const [listed] = await listSessions(nodeFiles, folder.path, rows)
    expect(listed?.row).toEqual({ title: 'session 1', lastSeq: 2000 })
    const all = readFileSync(path, 'utf8').trimEnd().split('\n')
    const { headLines = [], tailLines = [] } = seen[0] ?? {}
    expect(headLines).toEqual(all.slice(0, headLines.length))
    expect(tailLines).toEqual(all.slice(-tailLines.length))
    expect(headLines.join('\n').length).toBeLessThanOrEqual(EXCERPT_BYTES)
    expect(headLines.length + tailLines.length).toBeLessThan(all.length)
  })

  it('of a log that grew goes on from its row, and reads no more than is new', async () => {
    using folder = temporaryFolder()
    const path = writeSession(folder.path, 1, 3)
    let seq = 3
    const counting = countedReads(path)
    const { files } = counting
    const append = (count: number, name: string) => {
      const event = (type: string, title: string) =>
        `${encodeLine({ seq: ++seq, at: 1, event: { type, title, text: 'y'.repeat(1000) } }).text}\n`
      const filler = Array.from({ length: count }, () => event('x', 'filler')).join('')
      appendFileSync(path, event('named', name) + filler)
    }
    const named = ({ headLines, tellingLines, tailLines }: LogExcerpt, earlier: TestRow | null): TestRow => {
      const lines = [...(earlier === null ? headLines : []), ...tellingLines, ...tailLines]
      const names = lines.flatMap((line) => decodeLine(line) ?? []).filter(({ event }) => event.type === 'named')
      return { title: String(names.at(-1)?.event['title'] ?? earlier?.title), lastSeq: 0 }
    }
    const rows = { ...ROWS, goesOn: true, describe: named }
    for (const [index, count] of [2, 100, 1000, 1000, 10].entries()) {
      append(count, `name ${index}`)
      counting.readBytes = 0
      expect(titles(await listSessions(files, folder.path, rows))).toEqual([`name ${index}`])
    }
    expect(counting.readBytes).toBeLessThan(5 * EXCERPT_BYTES)
    // A file put in the place of the log is read as a whole.
    writeFileSync(`${path}.new`, readFileSync(path, 'utf8').replaceAll('"type":"named"', '"type":"x"'))
    renameSync(`${path}.new`, path)
    append(1, 'anew')
    expect(titles(await listSessions(files, folder.path, rows))).toEqual(['anew'])
    expect(counting.readBytes).toBeGreaterThan(2_000_000)
  })

  it('of a long log gives every line of a telling type, wherever it is', async () => {
    using folder = temporaryFolder()
    const path = writeSession(folder.path, 1, 2000)
    const seen: LogExcerpt[] = []
    const describe = (excerpt: LogExcerpt) => {
      seen.push(excerpt)
      return describeLog(excerpt)
    }
    await listSessions(nodeFiles, folder.path, { ...ROWS, tellingTypes: new Set(['x']), describe })
    const all = readFileSync(path, 'utf8').trimEnd().split('\n')
    const { headLines = [], tellingLines = [], tailLines = [] } = seen[0] ?? {}
    expect(tellingLines.length).toBeGreaterThan(0)
    expect([...headLines, ...tellingLines, ...tailLines]).toEqual(all)
  })

  it('lists the other logs when one cannot be read or the index cannot be written', async () => {
    using folder = temporaryFolder()
    for (const n of [1, 2]) writeSession(folder.path, n)
    const unreadable: Files = {
      ...faultyFiles((operation) => (operation === 'write' ? 'ENOSPC' : null)).files,
      open: (path, access) => nodeFiles.open(path === pathOf(folder.path, 1) ? '/nowhere/at/all' : path, access),
    }
    expect(titles(await listSessions(unreadable, folder.path, ROWS))).toEqual(['session 2'])
    expect(readdirSync(join(folder.path, 'sessions'))).toEqual(['2025'])
  })

  it('keeps its index private', async () => {
    using folder = temporaryFolder()
    writeSession(folder.path, 1)
    await listSessions(nodeFiles, folder.path, ROWS)
    expect(statSync(join(folder.path, 'sessions', 'index.jsonl')).mode & 0o777).toBe(0o600)
  })
})
