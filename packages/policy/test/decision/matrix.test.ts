import type { ApprovalPolicy, Enforcement, SandboxMode } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type Decision, decide } from '../../src/decision/decide.ts'
import { rowNames, sampleOf } from './sample-facts.ts'

// Each letter stands for one enforcement: full, partial, none. r: runs sandboxed, R: runs with nothing around it; a, A: asks, and runs so after
// a yes; N, P, E, W, O, D: denied with the code below. Columns of the table are the rows of each kind, in their order.
const codes = {
  N: 'noSandbox',
  P: 'policyNever',
  E: 'escalationRefused',
  W: 'networkRefused',
  O: 'outsideRoots',
  D: 'dangerous',
} as const

const header =
  '                            safe other escal net   dang  p-in  p-out p-pro r-in  r-out r-sec t-ro  t-eff p-lik p-wid p-uns'
const table = `
untrusted  read-only          | rrR   aaA   AAA   aaA   aaA   AAA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   aaA   aaA   AAA
untrusted  workspace-write    | rrR   aaA   AAA   aaA   aaA   aaA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   aaA   aaA   AAA
untrusted  danger-full-access | RRR   AAA   AAA   AAA   AAA   AAA   AAA   AAA   RRR   RRR   AAA   RRR   AAA   AAA   AAA   AAA
on-failure read-only          | rrR   raA   raA   raA   aaA   AAA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   aaA   aaA   AAA
on-failure workspace-write    | rrR   raA   raA   raA   aaA   raA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   raA   aaA   AAA
on-failure danger-full-access | RRR   RRR   RRR   RRR   AAA   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR
on-request read-only          | rrR   raA   AAA   aaA   aaA   AAA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   aaA   aaA   AAA
on-request workspace-write    | rrR   raA   AAA   aaA   aaA   raA   AAA   AAA   rrR   rrR   AAA   rrR   aaA   raA   aaA   AAA
on-request danger-full-access | RRR   RRR   RRR   RRR   AAA   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR
never      read-only          | rrR   rNN   EEE   WNN   DDD   PPP   OOO   PPP   rrR   rrR   PPP   rrR   PPP   PPP   PPP   PPP
never      workspace-write    | rrR   rNN   EEE   WNN   DDD   rNN   OOO   PPP   rrR   rrR   PPP   rrR   PPP   rNN   PPP   PPP
never      danger-full-access | RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR   RRR
`

const policies: readonly ApprovalPolicy[] = ['untrusted', 'on-failure', 'on-request', 'never']
const modes: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']
const levels: readonly Enforcement[] = ['full', 'partial', 'none']

function letterOf({ verdict, code, run }: Decision): string {
  if (verdict === 'deny') return Object.entries(codes).find(([, name]) => name === code)?.[0] ?? '?'
  const letter = verdict === 'allow' ? 'r' : 'a'
  return run === 'sandboxed' ? letter : letter.toUpperCase()
}

function rowFor(approvalPolicy: ApprovalPolicy, sandboxMode: SandboxMode): string[] {
  return rowNames.map((name) =>
    levels
      .map((enforcement) =>
        decide(sampleOf[name], { rules: [], sessionGrants: [], approvalPolicy, sandboxMode, enforcement }),
      )
      .map(letterOf)
      .join(''),
  )
}

describe('the matrix', () => {
  const rows = new Map(
    table
      .trim()
      .split('\n')
      .map((line) => line.split('|').map((half) => half.trim().split(/\s+/)))
      .map(([name = [], cells = []]) => [name.join(' '), cells]),
  )

  it('has one column in this table for each row of a kind', () => {
    expect(header.trim().split(/\s+/)).toHaveLength(rowNames.length)
    expect(rows.size).toBe(policies.length * modes.length)
  })

  for (const policy of policies) {
    it.each(modes)(`decides each kind of call in each enforcement under ${policy} with %s`, (mode) => {
      expect(rowFor(policy, mode)).toEqual(rows.get(`${policy} ${mode}`))
    })
  }
})
