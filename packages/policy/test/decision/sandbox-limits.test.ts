import type { ApprovalPolicy } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type DecideSettings, decide, sandboxLimits } from '../../src/decision/decide.ts'
import { grantFor } from '../../src/decision/match.ts'
import { commandRule, mcp, sampleOf } from './sample-facts.ts'

const enforced: DecideSettings = {
  rules: [],
  sessionGrants: [],
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  enforcement: 'full',
}
const none = { sandbox: 'none', network: true }

function limitsOf(facts: Parameters<typeof decide>[0], changed: Partial<DecideSettings> = {}) {
  const settings = { ...enforced, ...changed }
  return sandboxLimits(facts, decide(facts, settings).run, settings)
}

describe('what a tool of an MCP server runs under', () => {
  const confined = { mode: 'workspace-write', network: false } as const

  it('is nothing where its program has all rights', () => {
    expect(limitsOf(mcp('docs', 'push'))).toEqual(none)
  })

  it('is what its program was started under, in full access too', () => {
    const facts = { ...mcp('docs', 'push'), confined }
    for (const sandboxMode of ['read-only', 'workspace-write', 'danger-full-access'] as const)
      expect(limitsOf(facts, { sandboxMode })).toEqual({ sandbox: 'workspace-write', network: false })
  })

  it('is said in the question as well, which is asked all the same', () => {
    const { verdict, reason } = decide({ ...mcp('docs', 'push'), confined }, enforced)
    expect(verdict).toBe('ask')
    expect(reason).toMatch(/^its server runs inside the sandbox, /)
    expect(reason).not.toContain('not limited')
    expect(decide(mcp('docs', 'push'), enforced).reason).toContain('not limited by the sandbox')
  })
})

describe('what a command runs under', () => {
  it('is the mode, without network', () => {
    expect(limitsOf(sampleOf.otherCommand)).toEqual({ sandbox: 'workspace-write', network: false })
    expect(limitsOf(sampleOf.otherCommand, { sandboxMode: 'read-only' })).toEqual({
      sandbox: 'read-only',
      network: false,
    })
  })

  it('is reading only for one that only looks, whatever all others may', () => {
    expect(limitsOf(sampleOf.knownSafe, { network: true })).toEqual({ sandbox: 'read-only', network: false })
  })

  it('is the network for one that asked, where it may ask', () => {
    const granting: Readonly<Record<ApprovalPolicy, boolean>> = {
      untrusted: true,
      'on-request': true,
      'on-failure': false,
      never: false,
    }
    for (const approvalPolicy of ['untrusted', 'on-request', 'on-failure', 'never'] as const)
      expect(limitsOf(sampleOf.network, { approvalPolicy }).network).toBe(granting[approvalPolicy])
  })

  it('is the network for all where the user says so, but not in read-only mode', () => {
    expect(limitsOf(sampleOf.otherCommand, { network: true }).network).toBe(true)
    expect(limitsOf(sampleOf.otherCommand, { network: true, sandboxMode: 'read-only' }).network).toBe(false)
  })

  it('is nothing where nothing enforces it, where it escalates, and with full access', () => {
    expect(limitsOf(sampleOf.otherCommand, { enforcement: 'none' })).toEqual(none)
    expect(limitsOf(sampleOf.escalation)).toEqual(none)
    expect(limitsOf(sampleOf.otherCommand, { sandboxMode: 'danger-full-access', enforcement: 'none' })).toEqual(none)
  })

  it('is nothing for a tool of somebody else, which no sandbox of ours is around', () => {
    expect(limitsOf(mcp('git', 'push'))).toEqual(none)
  })
})

describe('asking for the network', () => {
  it('is a question that no rule answers where a sandbox withholds it, and none where all have it', () => {
    const rules = [commandRule('allow', 'npm')]
    expect(decide(sampleOf.network, { ...enforced, rules }).verdict).toBe('ask')
    expect(decide(sampleOf.network, { ...enforced, rules, enforcement: 'none' }).verdict).toBe('allow')
    expect(decide(sampleOf.network, { ...enforced, network: true })).toMatchObject({
      verdict: 'allow',
      rule: { name: 'builtin:sandboxed' },
    })
    const readOnly = { ...enforced, network: true, sandboxMode: 'read-only' } as const
    expect(decide(sampleOf.network, readOnly).verdict).toBe('ask')
  })

  it('is covered by a yes for the session to the same with network only', () => {
    const withNetwork = [grantFor(sampleOf.network, 'sandboxed')].filter((grant) => grant !== null)
    const { network: _request, ...without } = sampleOf.network
    const plain = [grantFor(without, 'sandboxed')].filter((grant) => grant !== null)
    expect(decide(sampleOf.network, { ...enforced, sessionGrants: withNetwork }).verdict).toBe('allow')
    expect(decide(sampleOf.network, { ...enforced, sessionGrants: plain }).verdict).toBe('ask')
  })
})
