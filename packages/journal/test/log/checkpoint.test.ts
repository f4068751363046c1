import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { readCheckpoint } from '../../src/log/checkpoint.ts'
import { openLog, type WritableLog } from '../../src/log/open-log.ts'
import { countedReads } from '../counted-reads.ts'
import { logText, REPORTS, SAMPLE_HEADER, SAMPLE_ID, sampleLine, sampleLines, writeLog } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const key = 'program 1'
const parts = ['{"folded":"Grüße 🌍"}', '[1]'].map((text) => Buffer.from(text))
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

async function openWith(path: string, visit: (seq: number) => void = () => undefined): Promise<WritableLog> {
  const opened = await openLog(nodeFiles, path, {
    reports: REPORTS,
    visit: ({ seq }) => visit(seq),
    from: async (log) => (await readCheckpoint(nodeFiles, pathBeside(path), { log, key }))?.mark ?? null,
  })
  if (opened.readOnly) throw new Error(opened.reason)
  return opened
}

const pathBeside = (log: string) => log.replace('.jsonl', '.checkpoint')

/** Writes a log with a checkpoint behind its last line. */
async function checkpointed(folder: string, text = logText(sampleLines(6))) {
  const path = writeLog(folder, text)
  const { log, nextSeq } = await openWith(path)
  log.append([sampleLine(nextSeq), sampleLine(nextSeq + 1)])
  const mark = log.mark()
  if (mark === null) throw new Error('there is no mark')
  await log.writeCheckpoint(pathBeside(path), { key, parts, mark })
  await log[Symbol.asyncDispose]()
  return { path, mark, checkpoint: readFileSync(pathBeside(path)) }
}

/** Opens a log, and returns what was found and the seqs of the lines that were read. */
async function findings(path: string) {
  const seen: number[] = []
  const { log, nextSeq, last, lost, damage, uncheckedSeqs } = await openWith(path, (seq) => seen.push(seq))
  const mark = log.mark()
  await log[Symbol.asyncDispose]()
  return { seen, found: { nextSeq, last, lost, damage, uncheckedSeqs, mark } }
}

/** Opens a log with its checkpoint, then without, and expects the same; returns the lines read with it. */
async function expectSame(path: string): Promise<readonly number[]> {
  const text = readFileSync(path)
  const { seen, found } = await findings(path)
  const kept = readFileSync(pathBeside(path))
  writeFileSync(pathBeside(path), '')
  writeFileSync(path, text)
  expect(found).toEqual((await findings(path)).found)
  writeFileSync(pathBeside(path), kept)
  return seen
}

describe('a log with a checkpoint', { timeout: isLong ? 300_000 : 30_000 }, () => {
  it('is read from there on, and found as it is when all of it is read', async () => {
    using folder = temporaryFolder()
    const { path } = await checkpointed(folder.path)
    expect(await expectSame(path)).toEqual([])
    appendFileSync(path, `${sampleLine(9)}\n`)
    expect(await expectSame(path)).toEqual([9])
  })

  it('keeps the damage and the reports before it', async () => {
    using folder = temporaryFolder()
    const report = '{"seq":5,"at":1,"event":{"type":"conversation.recovered","lost":[{"fromSeq":2,"toSeq":3}]}}'
    const { path } = await checkpointed(folder.path, logText([sampleLine(1), 'junk', sampleLine(4), report]))
    const { found } = await findings(path)
    expect(found).toMatchObject({ lost: [], damage: [{ fromSeq: 2, toSeq: 3 }], uncheckedSeqs: [5], nextSeq: 8 })
    expect(await expectSame(path)).toEqual([])
  })

  it('is read whole when the checkpoint is cut anywhere', async () => {
    using folder = temporaryFolder()
    const { path, checkpoint } = await checkpointed(folder.path)
    for (let size = 0; size < checkpoint.length; size += isLong ? 1 : 7) {
      writeFileSync(pathBeside(path), checkpoint.subarray(0, size))
      expect({ size, seen: (await findings(path)).seen.length }).toEqual({ size, seen: 8 })
    }
  })

  it('is read whole when any bit of the checkpoint is flipped', async () => {
    using folder = temporaryFolder()
    const { path, checkpoint } = await checkpointed(folder.path)
    for (let bit = 0; bit < checkpoint.length * 8; bit += isLong ? 1 : 37) {
      const flipped = Buffer.from(checkpoint)
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      writeFileSync(pathBeside(path), flipped)
      expect({ bit, seen: (await findings(path)).seen.length }).toEqual({ bit, seen: 8 })
    }
  })

  it('is read whole when any byte before the mark was changed, also where only the checkpoint was put back', async () => {
    using folder = temporaryFolder()
    const { path, mark, checkpoint } = await checkpointed(folder.path)
    const text = readFileSync(path)
    const body = SAMPLE_HEADER.length + 1
    for (let at = 0; at < body + mark.endPlace; at += isLong ? 1 : 11) {
      const changed = Buffer.from(text)
      changed.writeUInt8(changed.readUInt8(at) === 0x78 ? 0x79 : 0x78, at)
      writeFileSync(path, changed)
      writeFileSync(pathBeside(path), checkpoint)
      const seen = await expectSame(path)
      expect({ at, read: seen.length > 0 }).toEqual({ at, read: true })
    }
  })

  it('is read whole when lines were taken out or put in before the mark, or the log ends before it', async () => {
    using folder = temporaryFolder()
    const { path, checkpoint } = await checkpointed(folder.path)
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    const cases = [
      lines.toSpliced(3, 1),
      lines.toSpliced(3, 0, lines[3] ?? ''),
      lines.slice(0, -1),
      lines.slice(0, 2),
      [...lines.slice(0, -2), lines.at(-1) ?? '', lines.at(-2) ?? ''],
    ]
    for (const changed of cases) {
      writeFileSync(path, `${changed.join('\n')}\n`)
      writeFileSync(pathBeside(path), checkpoint)
      expect((await expectSame(path)).length).toBeGreaterThan(0)
    }
  })

  it('is read whole with the checkpoint of another log', async () => {
    using folder = temporaryFolder()
    using other = temporaryFolder()
    const { path } = await checkpointed(folder.path)
    const strange = await checkpointed(
      other.path,
      logText(sampleLines(6).map((line) => line.replace('hello', 'hullo'))),
    )
    writeFileSync(pathBeside(path), strange.checkpoint)
    expect((await expectSame(path)).length).toBe(8)
    const fork = join(folder.path, `${SAMPLE_ID.replace('019a', '019b')}.jsonl`)
    writeFileSync(fork, readFileSync(path, 'utf8').replaceAll(SAMPLE_ID, SAMPLE_ID.replace('019a', '019b')))
    writeFileSync(pathBeside(fork), readFileSync(pathBeside(path)))
    expect((await findings(fork)).seen.length).toBe(8)
  })

  it('is read whole with the checkpoint of another program', async () => {
    using folder = temporaryFolder()
    const { path } = await checkpointed(folder.path)
    const log = nodeFiles.open(path, 'read')
    try {
      expect(await readCheckpoint(nodeFiles, pathBeside(path), { log, key: 'program 2' })).toBeNull()
      expect(await readCheckpoint(nodeFiles, pathBeside(path), { log, key })).toMatchObject({ parts, proven: false })
    } finally {
      nodeFiles.close(log)
    }
  })

  it('is known again without reading it, unless it was written to since', async () => {
    using folder = temporaryFolder()
    const { path } = await checkpointed(folder.path)
    const counting = countedReads(path)
    const readBy = async () => {
      const log = nodeFiles.open(path, 'read')
      counting.readBytes = 0
      const found = await readCheckpoint(counting.files, pathBeside(path), { log, key })
      nodeFiles.close(log)
      return { isFound: found !== null, bytes: counting.readBytes }
    }
    const untouched = await readBy()
    writeFileSync(path, readFileSync(path))
    const copied = await readBy()
    expect(untouched.isFound && copied.isFound).toBe(true)
    expect(copied.bytes).toBeGreaterThan(untouched.bytes)
  })
})
