import type { ApprovalPolicy } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type DecideSettings, decide, sandboxLimits } from '../../src/decision/decide.ts'
import { commandRule, grantsOf, mcp, sampleOf } from './sample-facts.ts'

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

describe('the limits of a tool of an MCP server', () => {
  const confined = { mode: 'workspace-write', network: false } as const

  it('are none when the server runs with all rights', () => {
    expect(limitsOf(mcp('docs', 'push'))).toEqual(none)
  })

  it('are those of the server, even with full access', () => {
    const facts = { ...mcp('docs', 'push'), confined }
    for (const sandboxMode of ['read-only', 'workspace-write', 'danger-full-access'] as const)
      expect(limitsOf(facts, { sandboxMode })).toEqual({ sandbox: 'workspace-write', network: false })
  })

  it('are named in the question', () => {
    const { verdict, reason } = decide({ ...mcp('docs', 'push'), confined }, enforced)
    expect(verdict).toBe('ask')
    expect(reason).toMatch(/^its server runs inside the sandbox, /)
    expect(reason).not.toContain('not limited')
    expect(decide(mcp('docs', 'push'), enforced).reason).toContain('not limited by the sandbox')
  })
})

describe('the limits of a command', () => {
  it('are those of the sandbox mode, without network', () => {
    expect(limitsOf(sampleOf.otherCommand)).toEqual({ sandbox: 'workspace-write', network: false })
    expect(limitsOf(sampleOf.otherCommand, { sandboxMode: 'read-only' })).toEqual({
      sandbox: 'read-only',
      network: false,
    })
  })

  it('are read-only for a known-safe command, even when all commands have the network', () => {
    expect(limitsOf(sampleOf.knownSafe, { network: true })).toEqual({ sandbox: 'read-only', network: false })
  })

  it('include the network that the command requested, where it may ask', () => {
    const granting: Readonly<Record<ApprovalPolicy, boolean>> = {
      untrusted: true,
      'on-request': true,
      'on-failure': false,
      never: false,
    }
    for (const approvalPolicy of ['untrusted', 'on-request', 'on-failure', 'never'] as const)
      expect(limitsOf(sampleOf.network, { approvalPolicy }).network).toBe(granting[approvalPolicy])
  })

  it('include the network for all commands when the user sets it, but not in read-only mode', () => {
    expect(limitsOf(sampleOf.otherCommand, { network: true }).network).toBe(true)
    expect(limitsOf(sampleOf.otherCommand, { network: true, sandboxMode: 'read-only' }).network).toBe(false)
  })

  it('are none without enforcement, after escalation and with full access', () => {
    expect(limitsOf(sampleOf.otherCommand, { enforcement: 'none' })).toEqual(none)
    expect(limitsOf(sampleOf.escalation)).toEqual(none)
    expect(limitsOf(sampleOf.otherCommand, { sandboxMode: 'danger-full-access', enforcement: 'none' })).toEqual(none)
  })

  it('are none for a tool of an MCP server outside the sandbox', () => {
    expect(limitsOf(mcp('git', 'push'))).toEqual(none)
  })
})

describe('a request for the network', () => {
  it('asks where the sandbox withholds the network, whatever the rules, and not where all commands have it', () => {
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

  it('gets no grant for the session, and none covers it', () => {
    expect(grantsOf(sampleOf.network, 'sandboxed')).toEqual([])
    const { network: _request, ...without } = sampleOf.network
    const plain = grantsOf(without, 'sandboxed')
    expect(plain).toHaveLength(1)
    expect(decide(sampleOf.network, { ...enforced, sessionGrants: plain }).verdict).toBe('ask')
  })
})
