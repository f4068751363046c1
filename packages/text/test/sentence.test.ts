import { expect, test } from 'vitest'
import { asSentence } from '../src/words.ts'

test.each([
  ['Rate limit reached', 'Rate limit reached.'],
  ['Slow down. ', 'Slow down.'],
  ['Really?', 'Really?'],
  ['Stop!', 'Stop!'],
  ['and so on …', 'and so on …'],
  ['', ''],
])('%j becomes the sentence %j', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence)
})
