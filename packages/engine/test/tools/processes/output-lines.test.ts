import { describe, expect, it } from 'vitest'
import { createLineScan, pickLines } from '../../../src/tools/processes/output-lines.ts'
import { readPattern } from '../../../src/tools/processes/output-pattern.ts'

function pattern(text: string) {
  const read = readPattern(text)
  if ('problem' in read) throw new Error(read.problem)
  return read
}

function whole(text: string) {
  const head = Buffer.from(text)
  const lineEnds = text.split('\n').length - 1
  return { head, tail: Buffer.alloc(0), totalBytes: head.length, omittedBytes: 0, lineEnds }
}

const newest = (output: ReturnType<typeof whole>, tail: number) => pickLines(output, { search: null, tail })

describe('lines of a process', () => {
  it('are the newest, numbered, without colours and what was written over', () => {
    const output = whole('one\n10%\r100%\r\n\u001b[32mready\u001b[0m\n')
    expect(newest(output, 2)).toEqual({
      lines: [
        { number: 2, text: '100%' },
        { number: 3, text: 'ready' },
      ],
      of: 3,
      isText: true,
    })
  })

  it('keep their numbers where the middle of the output is no longer kept', () => {
    const output = {
      head: Buffer.from('1\n2\n'),
      tail: Buffer.from('8\n9\n10'),
      totalBytes: 20,
      omittedBytes: 10,
      lineEnds: 9,
    }
    expect(newest(output, 5).lines.map(({ number, text }) => `${number}:${text}`)).toEqual([
      ...['1:1', '2:2', '8:8', '9:9', '10:10'],
    ])
    expect(pickLines(output, { search: pattern('1') }).lines.map(({ number }) => number)).toEqual([1, 10])
  })

  it('are shown up to a limit of bytes, of one line too', () => {
    const { lines, of } = newest(whole(`${'x'.repeat(3_000)}\n`.repeat(20)), 20)
    expect([lines.length, of]).toEqual([8, 20])
    const [long] = newest(whole('y'.repeat(100_000)), 1).lines
    expect(long?.text).toMatch(/^y{2048}\[… 95904 bytes …\]y{2048}$/)
  })

  it('are none of an output that is no text', () => {
    expect(newest(whole('a\u0000b\n'), 5)).toEqual({ lines: [], of: 0, isText: false })
  })

  it('are found in chunks, wherever these are cut and before the line has ended', () => {
    const bytes = Buffer.from('eins\nzwölf: \u001b[1mready\u001b[0m on\n')
    for (let cut = 0; cut <= bytes.length; cut++) {
      const scan = createLineScan(pattern('zwölf: ready'))
      const found = [bytes.subarray(0, cut), bytes.subarray(cut)].map(scan)
      expect(found.filter((line) => line !== null)).not.toEqual([])
    }
  })

  it('that never end cost no more than the end of one', () => {
    const scan = createLineScan(pattern('needle'))
    for (let count = 0; count < 1_000; count++) expect(scan(Buffer.alloc(10_000, 'x'))).toBeNull()
    expect(scan(Buffer.from('needle'))).toMatch(/needle$/)
  })
})
