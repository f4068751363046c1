import type { CallItem } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { resultWithout, withHint } from '../../../src/core/view/hints.ts'

const item: CallItem = {
  id: 'i',
  type: 'toolCall',
  status: 'completed',
  title: 't',
  text: '',
  tool: 'look',
  input: '{}',
  modelText: 'found',
}
const twice = withHint(withHint(item, 'hookChange', '(Changed.)'), 'repetition', '(Again.)')

describe('a sentence that is added to a result', () => {
  it('follows it on a line of its own, and is in the field', () => {
    expect(twice).toMatchObject({
      modelText: 'found\n(Changed.)\n(Again.)',
      hints: [
        { about: 'hookChange', text: '(Changed.)' },
        { about: 'repetition', text: '(Again.)' },
      ],
    })
    expect(withHint(item, 'repetition', null)).toBe(item)
  })

  it.each([
    ['all', () => true, 'found'],
    ['one of them', (about: string) => about === 'hookChange', 'found\n(Again.)'],
    ['none', () => false, 'found\n(Changed.)\n(Again.)'],
  ])('is left out again: %s', (_name, leavesOut, text) => {
    expect(resultWithout(twice, leavesOut)).toBe(text)
  })

  it('stays in a text that does not end with it, such as one that was left out of a bundle', () => {
    expect(resultWithout({ ...twice, modelText: '[20 bytes]' }, () => true)).toBe('[20 bytes]')
  })
})
