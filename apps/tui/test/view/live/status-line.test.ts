import { lineText } from '@parley/presentation/text/span'
import type { EventOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { statusLine } from '../../../src/view/live/status-line.ts'
import { after, turnStarted } from '../scenes/conversation.ts'

type SettingsPatch = EventOf<'conversation.configured'>['settings']

const facts = {
  homeFolder: '/home/ada',
  branch: 'main',
  readOnly: null,
  own: null,
  clientCount: 2,
  backgroundCount: 0,
  isSafe: false,
} as const

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

test.each<[SettingsPatch, string, string]>([
  [{ sandbox: 'workspace-write' }, 'box asks', 'box'],
  [{ sandbox: 'workspace-write', network: true }, 'box+n asks', 'box+n'],
  [{ sandbox: 'read-only', approvalPolicy: 'never' }, 'ro never', 'ro'],
  [{ sandbox: 'workspace-write', enforcement: 'none' }, 'none asks', 'none'],
  [{ sandbox: 'danger-full-access', approvalPolicy: 'never' }, 'FULL never', 'FULL'],
])('the limits %j are shorter in a window of 12 and of 8 columns, and never cut', (settings, narrow, narrowest) => {
  expect([12, 8].map((columns) => lineText(line(settings, columns)).trim())).toEqual([narrow, narrowest])
})

test('a narrow window drops the branch, the folder, the effort and later the mode, in this order', () => {
  const texts = [120, 71, 59, 51, 28].map((columns) => lineText(line({ sandbox: 'workspace-write' }, columns)).trim())
  expect(texts).toEqual([
    'gpt-5 high · shop ⎇ main · edit · sandboxed, asks to leave · 2 clients',
    'gpt-5 high · shop · edit · sandboxed, asks to leave · 2 clients',
    'gpt-5 high · edit · sandboxed, asks to leave · 2 clients',
    'gpt-5 · edit · sandbox, asks · 2 clients',
    'gpt-5 · sandbox, asks',
  ])
})

test('a server without configuration is named at every width that has room for the limits', () => {
  const state = after({ type: 'conversation.configured', settings: { enforcement: 'full' } })
  for (const columns of [30, 60, 120])
    expect(lineText(statusLine(state, { ...facts, isSafe: true }, { columns }))).toMatch(/safe · (?:edit · )?sandbox/)
})

test('a conversation without a provider has no model', () => {
  const settings = { sandbox: 'workspace-write', modelProvider: 'unconfigured', model: 'recorded' } as const
  expect(lineText(line(settings, 120))).toMatch(/^ *no model/)
})

test('commands in the background are counted', () => {
  const state = after({ type: 'conversation.configured', settings: { enforcement: 'full' } })
  const words = (columns: number) => lineText(statusLine(state, { ...facts, backgroundCount: 2 }, { columns }))
  expect(words(120)).toContain(' · 2 in background · 2 clients')
  expect(words(51)).toContain(' · 2 in background')
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

describe('the share of the context', () => {
  const responded = (contextWindow: number | null, cost: object = {}) =>
    after(
      { type: 'conversation.configured', settings: { enforcement: 'full', sandbox: 'workspace-write' } },
      turnStarted,
      {
        type: 'usage.updated',
        turnId: 't1',
        counts: { inputTokens: 72_000, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0, ...cost },
        ...(contextWindow === null ? {} : { contextWindow }),
      },
    )
  const at = (contextWindow: number | null, columns: number) =>
    lineText(statusLine(responded(contextWindow), facts, { columns }))

  test('stands at the right, and goes when the window is narrow', () => {
    expect(at(400_000, 97)).toBe(
      '  gpt-5 high · shop ⎇ main · edit · sandboxed, asks to leave · 2 clients            18% of 400k',
    )
    expect(at(1_050_000, 120)).toMatch(/ {2}7% of 1\.05M$/)
    expect(at(400_000, 50)).not.toContain('%')
  })

  test('has the cost behind it, which goes first', () => {
    const shown = (cost: object, columns: number) => lineText(statusLine(responded(400_000, cost), facts, { columns }))
    expect(shown({ costUsd: 0.4219 }, 100)).toMatch(/ {2}18% of 400k · \$0\.42$/)
    expect(shown({ costUsd: 0.4219, isPartCost: true }, 100)).toMatch(/ {2}18% of 400k · \$0\.42\+\?$/)
    expect(shown({ costUsd: 0.4219 }, 91)).toMatch(/⎇ main .* {2}18% of 400k$/)
    expect(shown({ costUsd: 0 }, 100)).toMatch(/400k$/)
  })

  test('is left out where the size of the context is not known', () => {
    expect(at(null, 120)).not.toMatch(/%|tokens/)
  })
})

describe('the line of the user', () => {
  const state = after({
    type: 'conversation.configured',
    settings: { enforcement: 'full', sandbox: 'workspace-write' },
  })
  const own = (text: string, columns: number, readOnly: 'view' | null = null) =>
    lineText(statusLine(state, { ...facts, own: [{ text }], readOnly }, { columns }))

  test('has the limits behind it unless it says them itself', () => {
    expect(own('mine', 80)).toBe('  mine · sandboxed, asks to leave')
    expect(own('sandboxed, asks to leave | mine', 80)).toBe('  sandboxed, asks to leave | mine')
    expect(own('mine', 80, 'view')).toBe('  mine · sandboxed, asks to leave · read-only view')
  })

  test('never pushes the limits out, at any width', () => {
    for (let columns = 20; columns <= 120; columns++)
      expect(own(`${'x'.repeat(90)} sandboxed, asks to leave`, columns)).toMatch(/sandbox(?:ed, asks to leave|, asks)/)
  })
})
