import { expect, test } from 'vitest'
import { actorName } from '../../src/question/answered-words.ts'

test.each([
  ['its title', { name: 'parley', title: 'ada (pts/3)' }, 'ada (pts/3)'],
  ['its name where it has no title', { name: 'bot', title: '' }, 'bot'],
  [
    'one row with its escapes visible',
    { name: 'bot', title: '\x1b[2Jeve\n› rm -rf /\u202e' },
    '\\x1b[2Jeve › rm -rf /<U+202E>',
  ],
  ['no more than a row', { name: 'x'.repeat(1_000) }, `${'x'.repeat(59)}…`],
  ['somebody where it hides', { name: '\u200b\n', title: '' }, 'somebody'],
])('a client is shown as %s', (_, actor, shown) => {
  expect(actorName(actor)).toBe(shown)
})
