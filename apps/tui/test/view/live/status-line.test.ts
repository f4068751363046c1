import type { EventOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { statusLine } from '../../../src/view/live/status-line.ts'
import { lineText } from '../../../src/view/text/span.ts'
import { after } from '../scenes/conversation.ts'

type SettingsPatch = EventOf<'conversation.configured'>['settings']

const facts = { homeFolder: '/home/ada', branch: 'main', readOnly: null, clientCount: 2 } as const

function line(settings: SettingsPatch, columns: number) {
  const state = after({ type: 'conversation.configured', settings: { enforcement: 'full', ...settings } })
  return statusLine(state, facts, { columns })
}

test.each<[SettingsPatch, RegExp]>([
  [{ sandbox: 'workspace-write' }, /(?:sandboxed, asks to leave|sandbox, asks)/],
  [{ sandbox: 'workspace-write', network: true }, /(?:sandboxed with network, asks to leave|sandbox\+net, asks)/],
  [{ sandbox: 'read-only', approvalPolicy: 'untrusted' }, /read-only(?: sandbox, asks before every change|, asks)/],
  [{ sandbox: 'workspace-write', enforcement: 'none', approvalPolicy: 'never' }, /no sandbox, never/],
  [{ sandbox: 'danger-full-access', enforcement: 'none', approvalPolicy: 'never' }, /FULL ACCESS, never/],
])('the limits %j are on the status line at every width', (settings, words) => {
  for (let columns = 20; columns <= 120; columns++) expect(lineText(line(settings, columns))).toMatch(words)
})

test('a narrow window drops the branch, the folder and the effort, in this order', () => {
  const texts = [120, 80, 60, 44].map((columns) => lineText(line({ sandbox: 'workspace-write' }, columns)).trim())
  expect(texts).toEqual([
    'gpt-5 · high · ~/shop (main) · sandboxed, asks to leave · 2 clients',
    'gpt-5 · high · ~/shop (main) · sandboxed, asks to leave · 2 clients',
    'gpt-5 · high · sandboxed, asks to leave · 2 clients',
    'gpt-5 · sandbox, asks · 2 clients',
  ])
})

test('no sandbox, full access and never are red', () => {
  const red = (settings: SettingsPatch) =>
    line(settings, 120)
      .filter(({ tone }) => tone === 'bad')
      .map(({ text }) => text)
  expect(red({ sandbox: 'workspace-write', enforcement: 'none' })).toEqual(['no sandbox'])
  expect(red({ sandbox: 'danger-full-access', approvalPolicy: 'never' })).toEqual(['FULL ACCESS', 'never asks'])
  expect(red({ sandbox: 'workspace-write' })).toEqual([])
})
