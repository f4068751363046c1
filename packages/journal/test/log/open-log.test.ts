import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { encodeLine } from '../../src/line/line.ts'
import { encodeHeader, newHeader } from '../../src/log/header.ts'
import { type OpenLogOptions, openLog, type WritableLog } from '../../src/log/open-log.ts'
import { LogView, textOf } from '../../src/log/read-log.ts'
import { failNth } from '../faulty-files.ts'
import {
  logText,
  REPORTS,
  reportLine,
  SAMPLE_HEADER,
  SAMPLE_ID,
  sampleLine,
  sampleLines,
  writeLog,
} from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { unsyncedFiles } from '../unsynced-files.ts'

async function openWritable(path: string, options: OpenLogOptions = { reports: REPORTS }): Promise<WritableLog> {
  const opened = await openLog(unsyncedFiles, path, options)
  if (opened.readOnly) throw new Error(opened.reason)
  return opened
}

async function close({ log }: WritableLog): Promise<void> {
  await log[Symbol.asyncDispose]()
}

function readTexts(path: string): readonly string[] {
  using view = LogView.open(nodeFiles, path)
  return [...view.lines()].map(textOf)
}

/** Opens `content`, hands over what was found, closes. */
async function opening(content: string | Buffer, options?: OpenLogOptions) {
  using folder = temporaryFolder()
  const opened = await openWritable(writeLog(folder.path, content), options)
  await close(opened)
  return opened
}

describe('opening a log', () => {
  it('returns an undamaged log unchanged', async () => {
    const opened = await opening(logText(sampleLines(5)))
    expect(opened).toMatchObject({ conversationId: SAMPLE_ID, nextSeq: 6, torn: null })
    expect(opened).toMatchObject({ lost: [], damage: [], uncheckedSeqs: [], header: newHeader(SAMPLE_ID) })
    expect(opened.last).toMatchObject({ seq: 5, crc: sampleLine(5).slice(-10, -2) })
  })

  it.each(['a setting of something else', '', 'one\n{"two"'])(
    'leaves a file with a second name as it is: %j',
    async (content) => {
      using folder = temporaryFolder()
      const other = join(folder.path, 'other')
      writeFileSync(other, content)
      const path = writeLog(folder.path, 'replaced')
      unlinkSync(path)
      linkSync(other, path)
      await expect(openLog(unsyncedFiles, path)).rejects.toMatchObject({ code: 'LINKED' })
      expect(readFileSync(other, 'utf8')).toBe(content)
    },
  )

  it('goes on in a log of which a backup is a second name', async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.path, logText(sampleLines(2)))
    linkSync(path, join(folder.path, 'backup'))
    const opened = await openWritable(path)
    await close(opened)
    expect(opened).toMatchObject({ nextSeq: 3, torn: null })
  })

  it('visits every good line, so that it can be folded in the same pass', async () => {
    const seen: number[] = []
    await opening(logText([sampleLine(1), 'junk', sampleLine(3)]), { visit: (line) => seen.push(line.seq) })
    expect(seen).toEqual([1, 3])
  })

  it('says that a log of a newer format can only be read, and leaves it as it is', async () => {
    using folder = temporaryFolder()
    const header = encodeHeader({ ...newHeader(SAMPLE_ID), format: 4, minReader: 3 })
    const content = `${header}\n${sampleLine(1)}\ntorn`
    const path = writeLog(folder.path, content)
    expect(await openLog(nodeFiles, path)).toMatchObject({
      readOnly: true,
      reason: expect.stringContaining('newer parley'),
    })
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(readTexts(path)).toEqual([sampleLine(1)])
  })

  it('writes on in a log of a newer format that allows it', async () => {
    const header = encodeHeader({ ...newHeader(SAMPLE_ID), format: 3 })
    expect(await opening(`${header}\n${sampleLine(1)}\n`)).toMatchObject({ readOnly: false, nextSeq: 2 })
  })

  it('does not follow a planted link, nor wait on a thing that is no file', async () => {
    using folder = temporaryFolder()
    const target = writeLog(folder.path, logText(sampleLines(1)))
    const link = join(folder.path, 'link.jsonl')
    symlinkSync(target, link)
    await expect(openLog(nodeFiles, link)).rejects.toThrow('ELOOP')
    await expect(openLog(nodeFiles, folder.path)).rejects.toThrow('EISDIR')
    await expect(openLog(nodeFiles, join(folder.path, 'none.jsonl'))).rejects.toThrow('ENOENT')
  })
})

/** Opens a log of so many lines, and returns the turns that others had meanwhile. */
async function turnsWhileOpening(count: number): Promise<number> {
  using folder = temporaryFolder()
  const line = (_: unknown, i: number) =>
    encodeLine({ seq: i + 1, at: 1, event: { type: 'x', text: 'y'.repeat(9000) } }).text
  const path = writeLog(folder.path, logText(Array.from({ length: count }, line)))
  let turns = 0
  const takeTurn = () => {
    turns++
    waiting = setImmediate(takeTurn)
  }
  let waiting: NodeJS.Immediate = setImmediate(takeTurn)
  const opened = await openWritable(path)
  clearImmediate(waiting)
  await close(opened)
  expect(opened).toMatchObject({ nextSeq: count + 1, damage: [] })
  return turns
}

it('a long log is verified with turns for others in between', async () => {
  expect([await turnsWhileOpening(1), (await turnsWhileOpening(1500)) > 0]).toEqual([0, true])
})

describe('a damaged log', () => {
  it('opens without its bad lines, which are named', async () => {
    const flipped = sampleLine(3).replace('"at":1', '"at":2')
    const opened = await opening(logText([sampleLine(1), sampleLine(2), flipped, 'junk', sampleLine(5)]))
    const byteOffset = Buffer.byteLength(logText(sampleLines(2)))
    expect(opened.damage).toEqual([{ fromSeq: 3, toSeq: 4, byteOffset, reason: 'checksum' }])
    expect(opened).toMatchObject({ lost: [{ fromSeq: 3, toSeq: 4 }], nextSeq: 6 })
  })

  it('names numbers that are missing without a trace', async () => {
    const opened = await opening(logText([sampleLine(1), sampleLine(4)]))
    expect(opened.damage).toMatchObject([{ fromSeq: 2, toSeq: 3, reason: 'missing' }])
  })

  it('loses no line to garbage between lines', async () => {
    const opened = await opening(logText([sampleLine(1), '', 'junk', sampleLine(2)]))
    expect(opened.damage).toMatchObject([{ fromSeq: 2, toSeq: 1, reason: 'syntax' }])
    expect(opened).toMatchObject({ lost: [], nextSeq: 3 })
  })

  it('keeps the first of two lines with one number', async () => {
    const other = encodeLine({ seq: 2, at: 9, event: { type: 'other' } }).text
    using folder = temporaryFolder()
    const path = writeLog(folder.path, logText([...sampleLines(2), other, sampleLine(3)]))
    const opened = await openWritable(path)
    await close(opened)
    expect(opened.damage).toMatchObject([{ reason: 'order' }])
    expect(opened.lost).toEqual([])
    expect(readTexts(path)).toEqual(sampleLines(3))
  })

  it('does not reuse a number that a damaged last line may have had', async () => {
    const flipped = (line: string) => `${line.slice(0, -3)}${line.at(-3) === '0' ? '1' : '0'}"}`
    expect(await opening(logText([sampleLine(1), flipped(sampleLine(2))]))).toMatchObject({ nextSeq: 3 })
    expect(await opening(logText([sampleLine(1), flipped(sampleLine(9))]))).toMatchObject({
      nextSeq: 10,
      lost: [{ fromSeq: 2, toSeq: 9 }],
    })
    expect(await opening(logText([sampleLine(1), '{"se', '{"seq":']))).toMatchObject({ nextSeq: 4 })
    expect(await opening(logText([sampleLine(1), '{"seq":999999999999,"at"']))).toMatchObject({ nextSeq: 3 })
  })

  it('accepts a line edited by hand and says which', async () => {
    const edited = sampleLine(2).replace(/"i2"(.*),"crc":"\w+"/, '"mine"$1')
    expect(await opening(logText([sampleLine(1), edited, sampleLine(3)]))).toMatchObject({
      uncheckedSeqs: [2],
      damage: [],
    })
  })

  it('without a readable header takes its id from the name', async () => {
    for (const header of ['', 'rubbish', SAMPLE_HEADER.replace('019a', '019b'), SAMPLE_HEADER.slice(9)]) {
      const opened = await opening([header, ...sampleLines(2)].map((line) => `${line}\n`).join(''))
      expect(opened).toMatchObject({ header: null, conversationId: SAMPLE_ID, nextSeq: 3, lost: [] })
      expect(opened.damage).toMatchObject([{ byteOffset: 0, reason: 'header' }])
    }
  })

  it('that is empty gets a header and begins', async () => {
    using folder = temporaryFolder()
    const opened = await openWritable(writeLog(folder.path, ''))
    expect(opened).toMatchObject({ nextSeq: 1, header: newHeader(SAMPLE_ID), torn: null, damage: [] })
    opened.log.append([sampleLine(1)])
    await close(opened)
    expect(readFileSync(opened.log.path, 'utf8')).toBe(logText([sampleLine(1)]))
  })
})

describe('a log cut by a crash', () => {
  it('opens at every cut with all its whole lines, goes on cleanly, and is not reported twice', async () => {
    const full = Buffer.from(logText(sampleLines(5)))
    for (let cut = 0; cut <= full.length; cut++) {
      using folder = temporaryFolder()
      const path = writeLog(folder.path, full.subarray(0, cut))
      const whole = sampleLines(5).filter((_, i) => Buffer.byteLength(logText(sampleLines(i + 1))) <= cut + 1)

      const first = await openWritable(path)
      const isTorn = cut > 0 && full[cut - 1] !== 0x0a && full[cut] !== 0x0a
      expect(first.torn !== null).toBe(isTorn)
      const seq = first.nextSeq
      expect(seq).toBeGreaterThan(whole.length)
      first.log.append([reportLine(seq, first.lost), sampleLine(seq + 1)])
      await close(first)

      const second = await openWritable(path)
      await close(second)
      expect(second).toMatchObject({ torn: null, lost: [], nextSeq: seq + 2, conversationId: SAMPLE_ID })
      expect(readTexts(path)).toEqual([...whole, reportLine(seq, first.lost), sampleLine(seq + 1)])
    }
  }, 30_000)

  it('keeps the torn piece aside, for its owner alone, each under its own name', async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.path, logText(sampleLines(1)) + sampleLine(2).slice(0, 50))
    const first = await openWritable(path)
    await close(first)
    expect(first.torn).toMatchObject({ sizeBytes: 50, keptAt: join(folder.path, `${SAMPLE_ID}.torn-1`) })
    expect(readFileSync(first.torn?.keptAt ?? '', 'utf8')).toBe(sampleLine(2).slice(0, 50))
    expect(statSync(first.torn?.keptAt ?? '').mode & 0o777).toBe(0o600)
    truncateSync(path, statSync(path).size - 11)
    const second = await openWritable(path)
    await close(second)
    expect(second.torn?.keptAt).toBe(join(folder.path, `${SAMPLE_ID}.torn-2`))
  })

  it('opens also when the piece cannot be kept aside', async () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.path, `${logText(sampleLines(1))}torn`)
    const { files } = failNth('open', 2, 'ENOSPC')
    const opened = await openLog(files, path)
    expect(opened).toMatchObject({ torn: { sizeBytes: 4, keptAt: null } })
    if (!opened.readOnly) await close(opened)
    expect(readFileSync(path, 'utf8')).toBe(`${logText(sampleLines(1))}torn\n`)
    expect(readdirSync(folder.path)).toHaveLength(1)
  })
})

it('a refused opening leaves no descriptor open', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, `${SAMPLE_ID}.jsonl`)
  writeFileSync(path, 'torn')
  const { files } = failNth('write', 1, 'ENOSPC')
  const open = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)
  const before = open()
  for (let i = 0; i < 3; i++) await expect(openLog(failNth('write', 1, 'ENOSPC').files, path)).rejects.toThrow('ENOSPC')
  await expect(openLog(files, path)).rejects.toThrow('ENOSPC')
  expect(open()).toBe(before)
  expect(readFileSync(path, 'utf8')).toBe('torn')
})
