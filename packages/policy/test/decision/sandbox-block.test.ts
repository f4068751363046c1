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

describe('a failed command', () => {
  it.each<[string, Partial<typeof run>, ReturnType<typeof detectBlock>]>([
    ['that names no path was not blocked', {}, null],
    [
      'that names a path only the sandbox protects was blocked',
      { checkedPaths: [outside] },
      { paths: ['/opt/x'], network: false },
    ],
    [
      'that names a path the user may not write either was not blocked',
      { checkedPaths: [{ ...outside, writableOutside: false }] },
      null,
    ],
    ['that names a path it may write was not blocked', { checkedPaths: [{ ...outside, writableInside: true }] }, null],
    ['that reports a path missing was not blocked', { checkedPaths: [{ ...outside, saidMissing: true }] }, null],
    [
      'that reports a hidden path missing was blocked',
      { checkedPaths: [{ ...outside, masked: true, saidMissing: true }] },
      { paths: ['/opt/x'], network: false, hidden: ['/opt/x'] },
    ],
    [
      'that names a path where a partial sandbox lets nothing be made was blocked',
      { checkedPaths: [outside, { ...outside, path: '/opt/y', unmakeable: true }] },
      { paths: ['/opt/x', '/opt/y'], network: false, unmakeable: ['/opt/y'] },
    ],
    ['that tried the network was blocked', { triedNetwork: true }, { paths: [], network: true }],
    ['that tried a network it had was not blocked', { triedNetwork: true, hasNetwork: true }, null],
    [
      'that ended by a signal was blocked',
      { exitCode: null as unknown as number, checkedPaths: [outside] },
      { paths: ['/opt/x'], network: false },
    ],
    ['with exit code 0 was not blocked', { exitCode: 0, triedNetwork: true, checkedPaths: [outside] }, null],
    [
      'that names one path twice was blocked once',
      { checkedPaths: [outside, outside] },
      { paths: ['/opt/x'], network: false },
    ],
  ])('%s', (_, changed, block) => {
    expect(detectBlock({ ...run, ...changed })).toEqual(block)
  })

  it('is reported to the model with the way to ask, where there is one', () => {
    const both = { paths: ['/opt/x'], network: true }
    expect(blockNotice(both, true)).toMatchInlineSnapshot(
      `"(The sandbox: it does not let a command change or see /opt/x; this tried to use the network, and it gives none. If it needs that, call shell again with escalate: true and a reason; the user is asked.)"`,
    )
    expect(blockNotice({ paths: [], network: true }, true)).toContain('network: true')
    expect(blockNotice(both, false)).not.toContain('call shell')
  })
})

describe('the notice of a block', () => {
  const one = { paths: ['/opt/x'], network: false }

  it('about hidden secrets sends the model to the user', () => {
    expect(blockNotice({ ...one, hidden: ['/opt/x'] }, true)).toBe(
      '(The sandbox: it hides /opt/x, where secrets are kept; ask the user.)',
    )
  })

  it('about a secret and another path has the way to ask', () => {
    const both = { paths: ['/opt/x', '/opt/y'], network: false, hidden: ['/opt/x'] }
    expect(blockNotice(both, true)).toMatch(/ask the user; .* \/opt\/y\. If it needs.*escalate/)
  })

  it('about a path directly in a root of a partial sandbox names the folders where it can be created', () => {
    expect(blockNotice({ ...one, unmakeable: ['/opt/x'] }, true)).toMatch(
      /partial here, and lets nothing be made .* only in the folders within it; .* \/opt\/x\. If it needs that, .*escalate: true/,
    )
  })
})

describe('a retry', () => {
  const sandboxed = { sandbox: 'workspace-write', network: false } as const

  it('is offered under on-failure only, and never for a command that ran without a sandbox', () => {
    const block = { paths: ['/opt/x'], network: false }
    for (const policy of ['untrusted', 'on-request', 'never'] as const)
      expect(retryAfter(block, policy, sandboxed)).toBeNull()
    expect(retryAfter(block, 'on-failure', { sandbox: 'none', network: true })).toBeNull()
    expect(retryAfter(null, 'on-failure', sandboxed)).toBeNull()
  })

  it('runs outside the sandbox for a path, and inside with network when only that was missing', () => {
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
