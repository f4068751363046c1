import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { encodeLine } from '../../src/line/line.ts'
import { envelopeOf, LogView, lineCrc, seekAfter, textOf } from '../../src/log/read-log.ts'
import { logText, SAMPLE_ID, sampleLine, sampleLines, writeLog } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function* viewOf(content: string): Generator<{ view: LogView; path: string }> {
  using folder = temporaryFolder()
  const path = writeLog(folder.path, content)
  using view = LogView.open(nodeFiles, path)
  yield { view, path }
}

const seqs = (lines: Iterable<{ seq: number }>) => [...lines].map(({ seq }) => seq)

describe('reading a log', () => {
  it('gives the lines byte for byte, and their events', () => {
    const lines = sampleLines(10)
    for (const { view } of viewOf(logText(lines))) {
      expect(view.header()?.conversationId).toBe(SAMPLE_ID)
      const read = [...view.lines()]
      expect(read.map(textOf)).toEqual(lines)
      expect(read.map((line) => envelopeOf(line)?.seq)).toEqual(seqs(read))
      expect(read.map(lineCrc)).toEqual(lines.map((line) => line.slice(-10, -2)))
    }
  })

  it('passes over bad lines, repeated numbers and an unfinished end', () => {
    const lines = [sampleLine(1), 'nonsense', sampleLine(2), sampleLine(2), sampleLine(1), sampleLine(5)]
    for (const { view } of viewOf(logText(lines) + sampleLine(6).slice(0, 40))) {
      expect(seqs(view.lines())).toEqual([1, 2, 5])
    }
  })

  it('reads on where it stopped while another appends', () => {
    for (const { view, path } of viewOf(logText(sampleLines(3)))) {
      const last = [...view.lines()].at(-1)
      const cut = sampleLine(4).length >> 1
      appendFileSync(path, sampleLine(4).slice(0, cut))
      const on = { after: 3, fromOffset: last?.endOffset ?? 0 }
      expect(seqs(view.lines(on))).toEqual([])
      appendFileSync(path, `${sampleLine(4).slice(cut)}\n${sampleLine(5)}\n`)
      expect(seqs(view.lines(on))).toEqual([4, 5])
    }
  })
})

describe('entering a log in the middle', () => {
  const bulky = (seq: number) =>
    encodeLine({ seq, at: 1, event: { type: 'x', text: 'y'.repeat((seq * 7919) % 3000) } }).text

  it('misses no line, whatever number is asked for', () => {
    const lines = Array.from({ length: 1500 }, (_, i) => bulky(i * 2 + 1))
    for (const { view } of viewOf(logText(lines))) {
      for (let after = 0; after <= 3001; after += 97) {
        const [first] = view.lines({ after })
        expect(first?.seq).toBe(after > 2998 ? undefined : after % 2 === 0 ? after + 1 : after + 2)
      }
    }
  })

  it('misses no good line between damaged ones', () => {
    const lines = Array.from({ length: 1500 }, (_, i) =>
      i % 7 === 3 ? bulky(i + 1).replace('"seq":', '"seq":9') : bulky(i + 1),
    )
    const good = lines.flatMap((_, i) => (i % 7 === 3 ? [] : [i + 1]))
    for (const { view } of viewOf(logText(lines))) {
      for (let after = 0; after < 1500; after += 61) {
        expect([...view.lines({ after })][0]?.seq).toBe(good.find((seq) => seq > after))
      }
    }
  })

  it('reads no more than it must', () => {
    const lines = Array.from({ length: 4000 }, (_, i) => bulky(i + 1))
    using folder = temporaryFolder()
    const file = nodeFiles.open(writeLog(folder.path, logText(lines)), 'read')
    const distance = seekAfter(nodeFiles, file, 2000)
    const place = logText(lines.slice(0, 2000)).length
    nodeFiles.close(file)
    expect(distance).toBeLessThanOrEqual(place)
    expect(place - distance).toBeLessThan(300_000)
  })
})
