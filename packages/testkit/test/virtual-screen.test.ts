import { expect, test } from 'vitest'
import { virtualScreen } from '../src/index.ts'

test('lines that leave the screen are found in scrollback, in order', async () => {
  using screen = virtualScreen({ cols: 20, rows: 3 })
  await screen.feed('one\r\ntwo\r\nthree\r\nfour')
  expect(screen.scrollback()).toEqual(['one'])
  expect(screen.screen()).toEqual(['two', 'three', 'four'])
  expect(screen.cursor()).toEqual({ column: 4, row: 2 })
})

test('a wrapped line is one line of the transcript', async () => {
  using screen = virtualScreen({ cols: 5, rows: 2 })
  await screen.feed('abcdefghijkl\r\nend')
  expect(screen.transcript()).toEqual(['abcdefghijkl', 'end'])
})

test('clears are counted by what they destroy', async () => {
  using screen = virtualScreen()
  await screen.feed('\x1b[2J\x1b[H\x1b[')
  await screen.feed('3Jtext\x1b[H\x1b[J')
  expect(screen.clears()).toEqual({ scrollback: 1, screen: 2 })
})

test('a question to the terminal is answered', async () => {
  const answers: string[] = []
  using screen = virtualScreen({ answer: (text) => answers.push(text) })
  await screen.feed('ab\x1b[6n')
  expect(answers).toEqual(['\x1b[1;3R'])
})
