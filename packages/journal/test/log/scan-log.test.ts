import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileFacts, Files, OpenFile } from '../../src/disk/files.ts'
import { decodeLine } from '../../src/line/line.ts'
import { decodeHeader } from '../../src/log/header.ts'
import { openLog } from '../../src/log/open-log.ts'
import { LogView, textOf } from '../../src/log/read-log.ts'
import { scanLog } from '../../src/log/scan-log.ts'
import { logText, REPORTS, reportLine, SAMPLE_ID, sampleLine, sampleLines, writeLog } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { unsyncedFiles } from '../unsynced-files.ts'

const FILE: OpenFile = { fd: -1, path: `${SAMPLE_ID}.jsonl` }

function inMemory(content: Buffer): Files {
  const facts: FileFacts = {
    kind: 'file',
    sizeBytes: content.length,
    modifiedAtMs: 0,
    changedAtMs: 0,
    inode: 1,
    links: 1,
    device: 1,
    mode: 0o600,
  }
  return {
    ...unsyncedFiles,
    stat: () => facts,
    read: (_, buffer, position) => content.copy(buffer, 0, position),
  }
}

const LINES = sampleLines(8)
const ENVELOPES = LINES.map(bareEnvelope)
const WHOLE = Buffer.from(logText(LINES))

/** Without the checksum: damage may happen to cut out just that, as a hand would. */
function bareEnvelope(line: string) {
  const envelope = decodeLine(line)
  return envelope === null ? null : { seq: envelope.seq, at: envelope.at, event: envelope.event }
}

/** Opens, reports as the engine does, writes on, closes; the good lines as they were before that. */
async function openAndReport(path: string) {
  const kept: string[] = []
  const opened = await openLog(unsyncedFiles, path, { reports: REPORTS, visit: (line) => kept.push(textOf(line)) })
  if (opened.readOnly) return null
  const { nextSeq, lost, log } = opened
  log.append(lost.length > 0 ? [reportLine(nextSeq, lost), sampleLine(nextSeq + 1)] : [sampleLine(nextSeq)])
  await log[Symbol.asyncDispose]()
  return { opened, kept }
}

function linesIn(path: string): readonly string[] {
  using view = LogView.open(unsyncedFiles, path)
  return [...view.lines()].map(textOf)
}

function seqOf(line: string): number {
  return Number(/^\{"seq":(\d+)/.exec(line)?.[1])
}

/** Tells if damage has left a header without a checksum, which is believed as one that was edited by hand. */
function hasEditedHeader(content: Buffer): boolean {
  const lines = content.toString('latin1').split('\n')
  return lines.some((line) => !line.includes('"crc":') && decodeHeader(Buffer.from(line, 'latin1')) !== null)
}

/** Checks what must hold for any damage to the bytes. */
async function expectSoundOpening(content: Buffer): Promise<readonly string[]> {
  using folder = temporaryFolder()
  const path = writeLog(folder.path, content)
  const first = await openAndReport(path)
  if (first === null) return []
  const { opened, kept } = first
  if (!hasEditedHeader(content)) expect(opened.conversationId).toBe(SAMPLE_ID)
  for (const line of kept) expect(ENVELOPES).toContainEqual(bareEnvelope(line))
  expect(kept.map(seqOf)).toEqual([...new Set(kept.map(seqOf))].sort((a, b) => a - b))
  expect(opened.nextSeq).toBeGreaterThan(Math.max(0, ...kept.map(seqOf)))
  expect(linesIn(path).slice(0, kept.length)).toEqual(kept)
  const second = await openAndReport(path)
  expect(second?.opened).toMatchObject({ torn: null, lost: [] })
  return kept
}

describe('a log', () => {
  it('shows every single flipped bit, in lines, line ends and header alike', async () => {
    for (let bit = 0; bit < WHOLE.length * 8; bit++) {
      const flipped = Buffer.from(WHOLE)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const kept: string[] = []
      const scan = await scanLog(inMemory(flipped), FILE, { visit: (line) => kept.push(textOf(line)) })
      for (const line of kept) expect(LINES).toContain(line)
      expect(scan.uncheckedSeqs).toEqual([])
      const isSeen = scan.tally.damage.length > 0 || scan.tail !== null || scan.header === null
      expect(isSeen).toBe(true)
    }
  }, 30_000)

  it('with random bytes written over it, cut out or put in keeps only what was written', async () => {
    const damage = fc.record({
      at: fc.nat(WHOLE.length),
      cut: fc.nat(300),
      put: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(...LINES).map(Buffer.from)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const content = damages.reduce(
          (bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
          WHOLE,
        )
        await expectSoundOpening(content)
      }),
      { numRuns: 300 },
    )
  }, 30_000)

  it('of random bytes opens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(await expectSoundOpening(Buffer.from(bytes))).toEqual([])
      }),
      { numRuns: 100 },
    )
  }, 30_000)

  it('keeps every line that the damage did not touch', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(LINES.map((_, i) => i)), async (hit) => {
        const lines = LINES.map((line, i) => (hit.includes(i) ? line.replace('"at":', '"at" :') : line))
        expect(await expectSoundOpening(Buffer.from(logText(lines)))).toEqual(LINES.filter((_, i) => !hit.includes(i)))
      }),
      { numRuns: 100 },
    )
  }, 30_000)
})
