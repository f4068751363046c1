import { decide, type Facts, sandboxLimits, storedFacts } from '@parley/policy'
import {
  approvalPolicies,
  type Enforcement,
  isLooser,
  isStricterSandbox,
  isUnasked,
  modes,
  nextMode,
  type PermissionSettings,
  pairOf,
  sandboxModes,
} from '@parley/protocol'
import { chosenMode } from '@parley/protocol/question'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questionAbout } from '../../src/calls/approval-request.ts'
import { firstAttempt } from '../../src/calls/attempt.ts'
import { assertUnderCeiling, type Ceiling, underCeiling } from '../../src/limits/ceiling.ts'
import { assertMayLoosen } from '../../src/limits/may-loosen.ts'
import { logOf, planned, policyWith } from '../calls/sample-calls.ts'

const work = modes.filter(({ name }) => name !== 'plan')
const proposal: Facts = { kind: 'proposal', tool: 'propose_plan', steps: 1 }
const item = {
  id: 'item',
  type: 'toolCall',
  kind: 'think',
  status: 'proposed',
  tool: 'propose_plan',
  title: 'Plan: x',
  text: '1. y',
  input: '{}',
} as const

const sample = 'facts' in planned ? planned.facts : null
const command = fc
  .record({
    knownSafe: fc.boolean(),
    dangerous: fc.constantFrom(null, 'rm'),
    touchesSecret: fc.constantFrom(null, '/s'),
    escalation: fc.constantFrom(null, { reason: 'r' }),
    background: fc.boolean(),
  })
  .map((changed) => storedFacts({ ...sample, ...changed }))
  .filter((facts) => facts !== null)
const call: fc.Arbitrary<Facts> = fc.oneof(
  command,
  fc.constantFrom<Facts>(
    {
      kind: 'patch',
      tool: 'apply_patch',
      files: [{ path: 'a', real: '/work/a', insideRoots: true, protectedBy: null }],
      contentHash: 'h',
      cwd: '/work',
    },
    {
      kind: 'patch',
      tool: 'apply_patch',
      files: [{ path: 'a', real: '/etc/a', insideRoots: false, protectedBy: null }],
      contentHash: 'h',
      cwd: '/work',
    },
    { kind: 'mcp', tool: 'mcp__a__b', server: 'a', name: 'b', readOnly: false },
    { kind: 'other', tool: 'x', readOnly: false },
    proposal,
    { kind: 'question', tool: 'ask_user', count: 1 },
  ),
)
const pair = fc.record({
  approvalPolicy: fc.constantFrom(...approvalPolicies),
  sandbox: fc.constantFrom(...sandboxModes),
})
const ceiling: fc.Arbitrary<Ceiling> = fc
  .record({ sandbox: fc.constantFrom(...sandboxModes), neverWithFullAccess: fc.boolean() })
  .map((most) => ({ ...most, network: false, unixSockets: false }))
/** Step of a client: the next mode, a mode by its name, any pair, or answers to a plan. */
const request = fc.oneof(
  fc.constant({ kind: 'next' as const }),
  fc.constantFrom(...modes).map((mode) => ({ kind: 'change' as const, change: pairOf(mode) })),
  pair.map((change) => ({ kind: 'change' as const, change })),
  fc
    .record({ mode: fc.constantFrom('ask', 'edit', 'plan', 'custom', 'danger-full-access', '__proto__', true) })
    .map((answers) => ({ kind: 'plan' as const, answers })),
)

type Request = typeof request extends fc.Arbitrary<infer One> ? One : never

/** Returns the settings that a request asks for; null for none. */
function asked(wanted: Request, now: PermissionSettings, most: Ceiling) {
  if (wanted.kind === 'change') return wanted.change
  if (wanted.kind === 'next') {
    const next = nextMode(now, most.sandbox)
    return next === null ? null : pairOf(next)
  }
  const policy = policyWith(logOf(now), { ceiling: most.sandbox })
  const attempt = firstAttempt(proposal, policy)
  const question = questionAbout({ item, attempt, payloadHash: 'h', patch: null, plan: { modes: work } }, policy)
  const mode = chosenMode(question, wanted.answers)
  return mode === null ? null : pairOf(mode)
}

interface Applied {
  readonly wanted: Request
  readonly now: PermissionSettings
  readonly most: Ceiling
  readonly mayLoosen: boolean
}

/** Returns the settings after a request, as the engine checks it. */
function apply({ wanted, now, most, mayLoosen }: Applied): PermissionSettings {
  const change = asked(wanted, now, most)
  if (change === null) return now
  try {
    assertUnderCeiling(change, now, () => most)
    assertMayLoosen({ mayLoosen }, { ...now, ...change }, now)
    return { ...now, ...change }
  } catch {
    return now
  }
}

const freedom = { deny: 0, ask: 1, allow: 2 }
const reach = { 'read-only': 0, 'workspace-write': 1, 'danger-full-access': 2, none: 2 }

function outcomeOf(
  facts: Facts,
  { approvalPolicy, sandbox: sandboxMode }: PermissionSettings,
  enforcement: Enforcement,
) {
  const settings = { rules: [], sessionGrants: [], approvalPolicy, sandboxMode, enforcement, network: false }
  const { verdict, run } = decide(facts, settings)
  const limits = sandboxLimits(facts, run, settings)
  return { freedom: freedom[verdict], reach: verdict === 'allow' ? reach[limits.sandbox] : 0 }
}

test('no mode and no answer to a plan allows more than policy, sandbox and ceiling say', () => {
  const seen = { changed: 0, kept: 0 }
  fc.assert(
    fc.property(
      fc.record({ wanted: request, before: pair, most: ceiling, mayLoosen: fc.boolean() }),
      call,
      fc.constantFrom<Enforcement>('full', 'partial', 'none'),
      ({ wanted, before, most, mayLoosen }, facts, enforcement) => {
        const now = underCeiling(before, {}, most)
        const after = apply({ wanted, now, most, mayLoosen })
        seen[isDifferent(after, now) ? 'changed' : 'kept'] += 1
        expect(isStricterSandbox(most.sandbox, after.sandbox)).toBe(false)
        expect(isUnasked(after) && !most.neverWithFullAccess).toBe(false)
        if (wanted.kind !== 'change' && isDifferent(after, now)) expect(modes.map(pairOf)).toContainEqual(after)
        const [then, here] = [outcomeOf(facts, now, enforcement), outcomeOf(facts, after, enforcement)]
        if (enforcement === 'full') expect(here.reach).toBeLessThanOrEqual(reach[most.sandbox])
        if (mayLoosen) return
        expect(isLooser(after, now)).toBe(false)
        // Under `never` these run and say that nobody was asked.
        if (facts.kind === 'proposal' || facts.kind === 'question') return
        expect(here.freedom).toBeLessThanOrEqual(then.freedom)
        if (here.freedom === then.freedom) expect(here.reach).toBeLessThanOrEqual(then.reach)
      },
    ),
    { numRuns: runsOf(10_000) },
  )
  expect(Math.min(seen.changed, seen.kept)).toBeGreaterThan(runsOf(10_000) / 20)
})

function isDifferent(one: PermissionSettings, other: PermissionSettings): boolean {
  return one.sandbox !== other.sandbox || one.approvalPolicy !== other.approvalPolicy
}

test('a plan is asked about under every limits but never, and no rule, grant or mode answers it', () => {
  fc.assert(
    fc.property(pair, fc.constantFrom<Enforcement>('full', 'partial', 'none'), (limits, enforcement) => {
      const tool = {
        decision: 'allow',
        target: { kind: 'tool', tool: 'propose_plan' },
        source: { file: 'f', line: 1 },
      } as const
      const { approvalPolicy, sandbox: sandboxMode } = limits
      const settings = { rules: [tool], sessionGrants: [], approvalPolicy, sandboxMode, enforcement, network: false }
      const { verdict, run } = decide(proposal, settings)
      expect(verdict).toBe(approvalPolicy === 'never' ? 'allow' : 'ask')
      expect(sandboxLimits(proposal, run, settings)).toEqual({ sandbox: 'read-only', network: false })
    }),
  )
})
