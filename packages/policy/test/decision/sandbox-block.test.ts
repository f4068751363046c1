import { describe, expect, it } from 'vitest'
import { blockNotice, type CheckedPath, detectBlock, retryAfter } from '../../src/decision/sandbox-block.ts'

const outside: CheckedPath = {
  path: '/opt/x',
  masked: false,
  unmakeable: false,
  writableInside: false,
  writableOutside: true,
  saidMissing: false,
}
const run = { exitCode: 1, triedNetwork: false, hasNetwork: false, checkedPaths: [] as CheckedPath[] }

describe('a command that failed', () => {
  it.each<[string, Partial<typeof run>, ReturnType<typeof detectBlock>]>([
    ['and names nothing was not blocked', {}, null],
    [
      'and names what only the sandbox keeps it from',
      { checkedPaths: [outside] },
      { paths: ['/opt/x'], network: false },
    ],
    ['and names what the user may not write either', { checkedPaths: [{ ...outside, writableOutside: false }] }, null],
    ['and names what it may write', { checkedPaths: [{ ...outside, writableInside: true }] }, null],
    ['and says that what it names is missing', { checkedPaths: [{ ...outside, saidMissing: true }] }, null],
    [
      'and names what is hidden from it, which it can only call missing',
      { checkedPaths: [{ ...outside, masked: true, saidMissing: true }] },
      { paths: ['/opt/x'], network: false },
    ],
    ['and tried the network', { triedNetwork: true }, { paths: [], network: true }],
    ['and tried a network that it had', { triedNetwork: true, hasNetwork: true }, null],
    [
      'by a signal',
      { exitCode: null as unknown as number, checkedPaths: [outside] },
      { paths: ['/opt/x'], network: false },
    ],
    ['not at all', { exitCode: 0, triedNetwork: true, checkedPaths: [outside] }, null],
    ['and names one thing twice', { checkedPaths: [outside, outside] }, { paths: ['/opt/x'], network: false }],
  ])('%s', (_, changed, block) => {
    expect(detectBlock({ ...run, ...changed })).toEqual(block)
  })

  it('is told to the model with the way to ask, where there is one', () => {
    const both = { paths: ['/opt/x'], network: true }
    expect(blockNotice(both, { mayAsk: true, checkedPaths: [outside] })).toMatchInlineSnapshot(
      `"(The sandbox: it does not let a command change or see /opt/x; this tried to use the network, and it gives none. If it needs that, call shell again with escalate: true and a reason; the user is asked.)"`,
    )
    expect(blockNotice({ paths: [], network: true }, { mayAsk: true, checkedPaths: [] })).toContain('network: true')
    expect(blockNotice(both, { mayAsk: false, checkedPaths: [outside] })).not.toContain('call shell')
  })
})

describe('what the model is told of a block', () => {
  const one = { paths: ['/opt/x'], network: false }

  it('of where secrets are kept is no way to ask for them, but that the user is to be asked', () => {
    expect(blockNotice(one, { mayAsk: true, checkedPaths: [{ ...outside, masked: true }] })).toBe(
      '(The sandbox: it hides /opt/x, where secrets are kept; ask the user.)',
    )
  })

  it('of something else beside a secret has the way to ask', () => {
    const both = { paths: ['/opt/x', '/opt/y'], network: false }
    const checkedPaths = [
      { ...outside, masked: true },
      { ...outside, path: '/opt/y' },
    ]
    expect(blockNotice(both, { mayAsk: true, checkedPaths })).toMatch(
      /ask the user; .* \/opt\/y\. If it needs.*escalate/,
    )
  })

  it('of what cannot be made at the top of a root in a partial sandbox says where it can be', () => {
    expect(blockNotice(one, { mayAsk: true, checkedPaths: [{ ...outside, unmakeable: true }] })).toMatch(
      /partial here, and lets nothing be made .* only in the folders within it; .* \/opt\/x\. If it needs that, .*escalate: true/,
    )
  })
})

describe('a retry', () => {
  const sandboxed = { sandbox: 'workspace-write', network: false } as const

  it('is asked about under on-failure only, and never for what ran without a sandbox', () => {
    const block = { paths: ['/opt/x'], network: false }
    for (const policy of ['untrusted', 'on-request', 'never'] as const)
      expect(retryAfter(block, policy, sandboxed)).toBeNull()
    expect(retryAfter(block, 'on-failure', { sandbox: 'none', network: true })).toBeNull()
    expect(retryAfter(null, 'on-failure', sandboxed)).toBeNull()
  })

  it('is outside the sandbox for a path, and inside with the network where only that was missing', () => {
    expect(retryAfter({ paths: ['/opt/x'], network: true }, 'on-failure', sandboxed)).toMatchObject({
      decision: { verdict: 'ask', rule: { name: 'builtin:retry-outside' }, reason: expect.stringContaining('/opt/x') },
      limits: { sandbox: 'none', network: true },
    })
    expect(retryAfter({ paths: [], network: true }, 'on-failure', sandboxed)).toMatchObject({
      decision: { verdict: 'ask', rule: { name: 'builtin:retry-with-network' }, run: 'sandboxed' },
      limits: { sandbox: 'workspace-write', network: true },
    })
  })
})
