import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { encodeLine } from '../../src/line/line.ts'
import { readBack } from '../../src/log/read-back.ts'
import { LogView } from '../../src/log/read-log.ts'
import { logText, sampleLine, sampleLines, writeLog } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function backward(path: string, before: number | null, type: string | null): number[] {
  using view = LogView.open(nodeFiles, path)
  return view.read((files, file) =>
    [...readBack(files, file, { before, types: type === null ? null : new Set([type]) })].flat().map(({ seq }) => seq),
  )
}

function forward(path: string, before: number | null, type: string | null): number[] {
  using view = LogView.open(nodeFiles, path)
  const lines = [...view.lines()].filter(
    (line) => (type === null || line.type === type) && line.seq < (before ?? Infinity),
  )
  return lines.map(({ seq }) => seq)
}

type Piece = 'line' | 'junk' | 'nothing' | 'cut'

const written: Readonly<Record<Piece, (seq: number) => string>> = {
  line: sampleLine,
  junk: () => '{"junk',
  nothing: () => '',
  cut: (seq) => sampleLine(seq).slice(0, -9),
}

/** Line that is longer than a window. */
const longLine = (seq: number) =>
  encodeLine({ seq, at: 1, event: { type: 'item.completed', item: { id: 'long', text: 'x'.repeat(1_500_000) } } }).text
const deltas = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, n) =>
      encodeLine({ seq: from + n, at: 1, event: { type: 'item.delta', itemId: 'i', text: 'y'.repeat(2000) } }).text,
  )

describe('a log read from its end', () => {
  it('has the lines that reading it from its beginning has, whatever is damaged', () => {
    const piece = fc.constantFrom<Piece>('line', 'line', 'line', 'junk', 'nothing', 'cut')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.option(fc.nat(40)), fc.boolean(), (pieces, before, all) => {
        using folder = temporaryFolder()
        const lines = pieces.map((kind, index) => written[kind](index + 1))
        const path = writeLog(folder.path, logText(lines))
        const type = all ? null : 'item.completed'
        expect(backward(path, before, type)).toEqual(forward(path, before, type).reverse())
      }),
      { numRuns: 60 },
    )
  })

  it('is read over many windows, and over a line that is longer than one', () => {
    using folder = temporaryFolder()
    const lines = [
      ...sampleLines(4),
      longLine(5),
      ...deltas(6, 1200),
      sampleLine(1207),
      longLine(1208),
      sampleLine(1210),
    ]
    const path = writeLog(folder.path, logText(lines))
    for (const before of [null, 1211, 1210, 1208, 1207, 600, 6, 5, 4, 1, 0]) {
      for (const type of [null, 'item.completed'])
        expect({ before, type, seqs: backward(path, before, type) }).toEqual({
          before,
          type,
          seqs: forward(path, before, type).reverse(),
        })
    }
  })

  it('leaves out numbers that occur again later in the file', () => {
    using folder = temporaryFolder()
    const path = writeLog(folder.path, logText([...sampleLines(8), ...sampleLines(3, 4), ...sampleLines(2, 9)]))
    expect(backward(path, null, null)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  })
})
