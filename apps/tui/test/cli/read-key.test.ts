import { describe, expect, it } from 'vitest'
import { typeInto } from '../../src/cli/read-key.ts'

describe('what is typed as a key', () => {
  it.each<[string, string, string, object]>([
    ['goes on with what was there', 'ab', 'cd', { text: 'abcd', isDone: false }],
    ['ends with Enter', '', 'key\r', { text: 'key', isDone: true, rest: '' }],
    ['ends with Ctrl+D', '', 'key\x04', { text: 'key', isDone: true }],
    ['loses a letter by Backspace', 'kex', '\x7fy', { text: 'key' }],
    ['is begun anew by Ctrl+U', 'wrong', '\x15key', { text: 'key' }],
    ['may be pasted in brackets', '', '\x1b[200~key\x1b[201~', { text: 'key', isDone: false }],
    ['shows the lines after the first', '', 'one\r\ntwo', { text: 'one', isDone: true, rest: 'two' }],
  ])('%s', (_what, text, input, expected) => {
    expect(typeInto(text, input)).toMatchObject(expected)
  })

  it('is given up by Ctrl+C', () => {
    expect(() => typeInto('key', '\x03')).toThrow('Nothing was sent or kept.')
  })
})
