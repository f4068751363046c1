import { expect, test } from 'vitest'
import { tintLine } from '../../../src/plain/plain-screen.ts'

test.each([
  ['Error: no model answers', 'bad'],
  ['Ran npm test; exit 1; 2.0 s', 'bad'],
  ['Question 1 of 2: Run this command?', 'warn'],
  ['You: fix it', 'accent'],
  ['Limits: sandboxed, asks to leave.', 'muted'],
  ['Ran npm test', undefined],
  ['  Error: a line of the model', undefined],
  ['Inside the sandbox', undefined],
])('the line "%s" has the tone %s', (text, tone) => {
  const [span, ...others] = tintLine(text)
  expect({ text: span?.text, tone: span?.tone, others }).toEqual({ text, tone, others: [] })
})
