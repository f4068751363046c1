import { expect, test } from 'vitest'
import { ansiLine } from '../../../src/view/text/ansi-line.ts'

test.each([
  ['plain', [{ text: 'plain' }]],
  ['\x1b[1;31mred\x1b[0m rest', [{ text: 'red', bold: true, tone: 'bad' }, { text: ' rest' }]],
  ['\x1b[38;5;31mlarge\x1b[38;2;1;1;4mtrue', [{ text: 'large' }, { text: 'true' }]],
  ['\x1b[38:2::1:1:4mcolons', [{ text: 'colons' }]],
  [
    '\x1b[2mdim\x1b[22m \x1b[92mgood\x1b[39m',
    [{ text: 'dim', tone: 'muted' }, { text: ' ' }, { text: 'good', tone: 'good' }],
  ],
  ['a\x1b[2Jb\x1b]2;title\x07c\td', [{ text: 'abc d' }]],
])('%j becomes spans without effects on the terminal', (text, spans) => {
  expect(ansiLine(text).map((span) => ({ ...span }))).toEqual(spans)
})
