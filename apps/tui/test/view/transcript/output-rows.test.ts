import { expect, test } from 'vitest'
import { collapseOverwrites } from '../../../src/view/transcript/output-rows.ts'

test.each([
  ['no overwriting\nat all', 'no overwriting\nat all'],
  ['10%\r20%\r100%\ndone', '100%\ndone'],
  ['abcdef\rxy', 'xycdef'],
  ['abc\r\n', 'abc\n'],
  ['abcdef\rxy\x1b[K', 'xy'],
  ['abc\x1b[2K\rnew', 'new'],
  ['abc\x1b[1K', '   '],
  ['abc\b\bX', 'aXc'],
  ['\x1b[32mok\x1b[0m\rno', 'no'],
  ['abc\x1b[5GX', 'abc X'],
  ['abc\x1b[2DX', 'aXc'],
  ['a\x1b[2CX', 'a  X'],
  ['e\u0301x\ry', 'yx'],
])('%j is what a terminal shows: %j', (text, expected) => {
  expect(collapseOverwrites(text)).toBe(expected)
})

test('a far column does not make an endless line', () => {
  expect(collapseOverwrites('\x1b[999999999Cx').length).toBeLessThan(5_000)
})
