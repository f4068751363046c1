import { describe, expect, it } from 'vitest'
import { decide, sandboxLimits } from '../../src/decision/decide.ts'
import { command, commandRule, grantsOf, part, processInput, rule } from './sample-facts.ts'

const settings = {
  rules: [],
  sessionGrants: [],
  approvalPolicy: 'on-request',
  sandboxMode: 'workspace-write',
  enforcement: 'full',
  network: false,
} as const

describe('what is written to a process', () => {
  it('is judged as a command when the process may do what a command may', () => {
    expect(decide(processInput(), settings).verdict).toBe('allow')
    expect(decide(processInput(), { ...settings, approvalPolicy: 'untrusted' }).verdict).toBe('ask')
    expect(decide(processInput(), { ...settings, enforcement: 'none' }).verdict).toBe('ask')
  })

  it.each([
    ['outside the sandbox', { sandbox: 'none', network: 'own' }],
    ['with the network', { network: 'own' }],
  ] as const)('asks under every policy, and is denied under never, when the process runs %s', (_, rights) => {
    const facts = processInput(rights)
    const allowed = [commandRule('allow', 'npm'), rule('allow', { kind: 'tool', tool: 'write_process' })]
    for (const approvalPolicy of ['untrusted', 'on-failure', 'on-request'] as const)
      expect(decide(facts, { ...settings, rules: allowed, approvalPolicy }).verdict).toBe('ask')
    expect(decide(facts, { ...settings, approvalPolicy: 'never' })).toMatchObject({ code: 'policyNever' })
    expect(grantsOf(facts, 'unsandboxed')).toEqual([])
  })

  it('asks about a process that may write once commands may not', () => {
    expect(decide(processInput(), { ...settings, sandboxMode: 'read-only' }).verdict).toBe('ask')
    expect(decide(processInput({ sandbox: 'read-only' }), { ...settings, sandboxMode: 'read-only' }).verdict).toBe(
      'allow',
    )
  })

  it('asks nothing for the network where all commands have it', () => {
    expect(decide(processInput({ network: 'own' }), { ...settings, network: true }).verdict).toBe('allow')
  })

  it('is held to rules that deny the process, or the text as a command, and asks before it destroys', () => {
    const written = command([part(['git', 'push'])], { dangerous: null })
    for (const denied of [commandRule('deny', 'npm'), commandRule('deny', 'git', 'push')])
      expect(decide(processInput({ written }), { ...settings, rules: [denied] }).verdict).toBe('deny')
    const removal = command([part(['rm', '-rf', 'x'])], { dangerous: 'rm deletes without asking' })
    expect(decide(processInput({ written: removal }), settings)).toMatchObject({
      verdict: 'ask',
      reason: expect.stringContaining('rm deletes without asking'),
    })
  })

  it('has the limits of its process, whatever the mode', () => {
    const limits = { approvalPolicy: 'on-request', sandboxMode: 'read-only' } as const
    expect(sandboxLimits(processInput(), 'sandboxed', limits)).toEqual({ sandbox: 'workspace-write', network: false })
    expect(sandboxLimits(processInput({ sandbox: 'none', network: 'own' }), 'sandboxed', limits)).toEqual({
      sandbox: 'none',
      network: true,
    })
  })
})
