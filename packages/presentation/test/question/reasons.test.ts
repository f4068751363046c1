import { expect, test } from 'vitest'
import { dangerWords, reasonWords } from '../../src/question/reasons.ts'

const dangerous = (danger: string, more = '') => ({
  reason: `it destroys things for good (${danger}${more})`,
  rule: { name: 'builtin:dangerous' },
  facts: { dangerous: danger },
})

test('a danger is a warning of its own, and the reason keeps only what else there is', () => {
  const download = dangerous('it runs what it downloads', '; run is the program /w/run, a file of the writable folders')
  expect(dangerWords(download)).toBe('runs a script it downloads, unread')
  expect(reasonWords(download)).toBe('run is the program /w/run, a file of the writable folders')
  const plain = dangerous('rm -rf deletes a whole folder')
  expect([dangerWords(plain), reasonWords(plain)]).toEqual(['rm -rf deletes a whole folder', ''])
})

test('a danger is found whatever rule asks, and in a log without facts by the rule', () => {
  const byRule = {
    ...dangerous('it is a fork bomb'),
    reason: 'my rule asks',
    rule: { name: 'ask', file: '/p', line: 3 },
  }
  expect([dangerWords(byRule), reasonWords(byRule)]).toEqual(['is a fork bomb', 'my rule asks'])
  const old = { reason: 'it destroys things for good', rule: { name: 'builtin:dangerous' } }
  expect(dangerWords(old)).toBe('destroys things for good')
  expect(dangerWords({ ...old, rule: { name: 'builtin:network' } })).toBeNull()
})

test('the policy that asks for all says so in few words, with what else there is', () => {
  const reason = 'the approval policy is untrusted and this is not known to be harmless'
  const asked = { reason: `${reason} (it leads elsewhere)`, rule: { name: 'builtin:untrusted' } }
  expect(reasonWords(asked)).toBe('you asked to be asked; not on the harmless list (it leads elsewhere)')
  expect(reasonWords({ ...asked, kind: 'patch' })).toBe(
    'you asked to be asked before every change (it leads elsewhere)',
  )
})
