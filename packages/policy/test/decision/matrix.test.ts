import type { ApprovalPolicy, SandboxMode, SandboxTier } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type Decision, decide } from '../../src/decision/decide.ts'
import { columns } from '../../src/decision/matrix.ts'
import { sampleOf } from './sample-facts.ts'

// One letter for each tier, A to D. r: runs sandboxed, R: runs with nothing around it; a, A: asks, and runs so after
// a yes; N, P, E, W, O, D: refused with the code below. Columns in the order of the matrix.
const codes = {
  N: 'noSandbox',
  P: 'policyNever',
  E: 'escalationRefused',
  W: 'networkRefused',
  O: 'outsideRoots',
  D: 'dangerous',
} as const

const header =
  '                            safe other escal net   dang  p-in  p-out p-pro r-in  r-out r-sec t-ro  t-eff'
const table = `
untrusted  read-only          | rrRR aaAA  AAAA  aaAA  aaAA  AAAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
untrusted  workspace-write    | rrRR aaAA  AAAA  aaAA  aaAA  aaAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
untrusted  danger-full-access | RRRR AAAA  AAAA  AAAA  AAAA  AAAA  AAAA  AAAA  RRRR  RRRR  AAAA  RRRR  AAAA
on-failure read-only          | rrRR raAA  raAA  raAA  aaAA  AAAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
on-failure workspace-write    | rrRR raAA  raAA  raAA  aaAA  raAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
on-failure danger-full-access | RRRR RRRR  RRRR  RRRR  AAAA  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR
on-request read-only          | rrRR raAA  AAAA  aaAA  aaAA  AAAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
on-request workspace-write    | rrRR raAA  AAAA  aaAA  aaAA  raAA  AAAA  AAAA  rrRR  rrRR  AAAA  rrRR  aaAA
on-request danger-full-access | RRRR RRRR  RRRR  RRRR  AAAA  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR
never      read-only          | rrRR rNNN  EEEE  WNNN  DDDD  PPPP  OOOO  PPPP  rrRR  rrRR  PPPP  rrRR  PPPP
never      workspace-write    | rrRR rNNN  EEEE  WNNN  DDDD  rNNN  OOOO  PPPP  rrRR  rrRR  PPPP  rrRR  PPPP
never      danger-full-access | RRRR RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR  RRRR
`

const policies: readonly ApprovalPolicy[] = ['untrusted', 'on-failure', 'on-request', 'never']
const modes: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']
const tiers: readonly SandboxTier[] = ['A', 'B', 'C', 'D']

function letterOf({ verdict, code, run }: Decision): string {
  if (verdict === 'deny') return Object.entries(codes).find(([, name]) => name === code)?.[0] ?? '?'
  const letter = verdict === 'allow' ? 'r' : 'a'
  return run === 'sandboxed' ? letter : letter.toUpperCase()
}

function rowFor(approvalPolicy: ApprovalPolicy, sandboxMode: SandboxMode): string[] {
  return columns.map((column) =>
    tiers
      .map((tier) => decide(sampleOf[column], { rules: [], sessionGrants: [], approvalPolicy, sandboxMode, tier }))
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

  it('is described here as wide as it is', () => {
    expect(header.trim().split(/\s+/)).toHaveLength(columns.length)
    expect(rows.size).toBe(policies.length * modes.length)
  })

  for (const policy of policies) {
    it.each(modes)(`decides each kind of call in each tier under ${policy} with %s`, (mode) => {
      expect(rowFor(policy, mode)).toEqual(rows.get(`${policy} ${mode}`))
    })
  }
})
