import type { TrustReport } from '@parley/protocol'
import { expect, test } from 'vitest'
import { trustText } from '../../src/commands/configuration.ts'

const report: TrustReport = {
  root: 'box:/srv/app',
  state: 'untrusted',
  hash: 'h',
  wouldRun: [],
  changes: [],
  ignored: [],
  files: [],
}
const linesOf = (more: Partial<TrustReport>, flags: { readonly yes?: string; readonly no?: boolean }) =>
  trustText({ ...report, ...more }, { environment: 'box', ...flags }).split('\n')

test('offers whoever may not decide no command that would be rejected', () => {
  const why = 'About this one decides whoever runs the server.'
  const lines = linesOf({ rejects: { trusted: why, declined: why } }, {})
  expect(lines).toContain(why)
  expect(lines.join(' ')).not.toContain('parley trust --')
  expect(linesOf({ rejects: { trusted: why } }, {}).slice(-3, -1)).toEqual([
    why,
    'To decline it:         parley trust --no --environment box',
  ])
})

test('says after an answer which servers know of it, and before it nothing of that', () => {
  const words = /servers of (?:this home|the store)/
  const said = (keptIn: 'home' | 'store', flags: object) => linesOf({ keptIn, state: 'trusted' }, flags).join(' ')
  expect(said('home', {})).not.toMatch(words)
  expect(said('home', { yes: 'h' })).toMatch(/The servers of this home know of it\. Those of a store do not/)
  expect(said('store', { no: true })).toContain('All servers of the store know of it.')
})
