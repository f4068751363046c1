import { contextTable, statusTable } from '@parley/presentation/notices/status-tables'
import { describe, expect, test } from 'vitest'
import { after, turnStarted } from '../../view/scenes/conversation.ts'

type Server = Parameters<typeof statusTable>[1]
type Providers = Parameters<typeof statusTable>[2]

const base = after(turnStarted)
const server = {
  home: '/home/ada/.parley',
  version: '1',
  platform: 'linux',
  build: 'b',
  pid: 1,
  node: 'v24',
  rssBytes: 0,
  uptimeMs: 0,
  ignoredMessages: 0,
  addresses: [],
  clients: [],
  conversations: [],
  enforcement: 'none' as const,
  enforcementReason: 'bubblewrap is missing',
}

function sandboxRow(change: Partial<typeof base.core.settings>): string {
  const settings = { ...base.core.settings, sandbox: 'workspace-write' as const, ...change }
  const table = statusTable({ ...base, core: { ...base.core, settings } }, server, [])
  return table.kind === 'table' ? (table.rows.find(([name]) => name === 'sandbox')?.[1] ?? '') : ''
}

describe('the sandbox in /status', () => {
  test.each([
    ['on-request', 'partial', 'workspace-write, enforced in part: what is not known to be harmless asks first'],
    ['never', 'partial', 'workspace-write, enforced in part: what is not known to be harmless is denied'],
    ['never', 'none', 'workspace-write, enforced by nothing: what is not known to be harmless is denied'],
    ['never', 'full', 'workspace-write, enforced in full'],
  ] as const)('under %s with enforcement %s is %s', (approvalPolicy, enforcement, text) => {
    expect(sandboxRow({ approvalPolicy, enforcement })).toBe(text)
  })
})

describe('the rows of /status', () => {
  function rows(core: Partial<typeof base.core>, providers: Providers = [], given: Server = server): readonly string[] {
    const table = statusTable({ ...base, core: { ...base.core, ...core } }, given, providers)
    return table.kind === 'table' ? table.rows.map(([name, text]) => `${name}: ${text}`) : []
  }

  test('name a configuration that --safe leaves out', () => {
    expect(rows({}, [], { ...server, isSafe: true })).toContain('configuration: left out, by --safe')
    expect(rows({}).filter((row) => row.startsWith('configuration'))).toEqual([])
  })

  test('have the name and the effort where there are any', () => {
    const settings = { ...base.core.settings, effort: 'high' }
    const meta = { ...base.core.meta, name: 'fix the cart' }
    expect(rows({ settings, meta })).toEqual(expect.arrayContaining(['name: fix the cart', 'effort: high']))
    const { effort, ...plain } = settings
    expect(rows({ settings: plain }).join('\n')).not.toMatch(/^(name|effort|context|tokens):/m)
  })

  test.each([
    [{ key: 'set', keyFrom: 'WORK_KEY' }, 'login: the key in WORK_KEY'],
    [{ key: 'kept' }, 'login: the one that /login or `parley login` kept'],
    [{ key: 'missing' }, 'login: none: /login asks for a key'],
  ] as const)('say with %j which login is used', (key, row) => {
    const { modelProvider } = base.core.settings
    const wire = { wire: 'chat', baseUrl: '', origin: 'configured' as const, variables: [], chosen: true }
    expect(rows({}, [{ id: modelProvider, name: 'Work', ...wire, ...key }])).toContain(row)
    expect(rows({}, [{ id: 'other', name: 'Other', ...wire, ...key }]).join('\n')).not.toContain('login: ')
  })

  test('name each rule that gives a command more than the sandbox', () => {
    const widerRules = [{ file: '/h/policy.toml', line: 3, text: 'git commit (outside the sandbox)' }]
    expect(rows({}, [], { ...server, widerRules })).toContain(
      'rule: git commit (outside the sandbox) runs unasked (/h/policy.toml:3)',
    )
  })

  test.each([
    [null, 'context: 12,400 tokens; the window of this model is not known: [models."NAME"] context_window sets it'],
    [400_000, 'context: 12,400 tokens of 400,000'],
  ])('say how much context was used when its size is %s', (contextWindow, context) => {
    const counts = { inputTokens: 12_000, outputTokens: 400, cachedInputTokens: 0, reasoningTokens: 0 }
    const total = { ...counts, inputTokens: 30_000 }
    expect(rows({ usage: { last: counts, total, contextWindow } })).toEqual(
      expect.arrayContaining([
        context,
        'tokens: 30,000 in, 400 out',
        'cost: ? (no known price; set `price` in [models."NAME"])',
      ]),
    )
  })
})

describe('the table of /context', () => {
  const parts = [
    { kind: 'instructions', tokens: 2_000, count: 1 },
    { kind: 'files', tokens: 0, count: 0 },
    { kind: 'tools', tokens: 3_000, count: 7 },
    { kind: 'talk', tokens: 4_000, count: 1 },
    { kind: 'outputs', tokens: 11_000, count: 2 },
  ] as const

  test('has each part with its share, and what is free', () => {
    expect(contextTable({ contextWindow: 100_000, tokens: 20_000, isScaled: true, parts: [...parts] })).toEqual({
      kind: 'table',
      title:
        "Context of the next request: 20,000 tokens of 100,000, estimated by the provider's count of the newest call",
      rows: [
        ['instructions', '2,000 tokens · 2%'],
        ['tools', '3,000 tokens · 3% · 7 tools'],
        ['talk', '4,000 tokens · 4% · 1 message'],
        ['outputs', '11,000 tokens · 11% · 2 results'],
        ['free', '80,000 tokens · 80%'],
      ],
    })
  })

  test('says that the window is not known, and gives shares of what is there', () => {
    const table = contextTable({ contextWindow: null, tokens: 20_000, isScaled: false, parts: [...parts] })
    const { rows, title } = table.kind === 'table' ? table : { rows: [], title: '' }
    expect(title).toBe('Context of the next request: 20,000 tokens, estimated')
    expect(rows.at(-1)).toEqual(['window', expect.stringMatching(/^of this model is not known: /)])
    expect(rows).toContainEqual(['outputs', '11,000 tokens · 55% · 2 results'])
    expect(rows.map(([name]) => name)).not.toContain('free')
  })
})
