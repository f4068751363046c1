import { approvalPolicies, isLooser, type PermissionSettings, sandboxModes } from '@parley/protocol'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type DecideSettings, decide, sandboxLimits } from '../../src/decision/decide.ts'
import type { Facts } from '../../src/decision/facts.ts'
import { facts, settings } from './any-call.ts'

const freedom = { deny: 0, ask: 1, allow: 2 }
const reach = { 'read-only': 0, 'workspace-write': 1, 'danger-full-access': 2, none: 2 }
const limits = fc.record({
  approvalPolicy: fc.constantFrom(...approvalPolicies),
  sandbox: fc.constantFrom(...sandboxModes),
  network: fc.boolean(),
})

/** What becomes of a call: its freedom, and what it reaches where it runs unasked. */
function outcomeOf(call: Facts, given: DecideSettings) {
  const { verdict, run } = decide(call, given)
  const { sandbox, network } = sandboxLimits(call, run, given)
  const runs = verdict === 'allow'
  return { verdict: freedom[verdict], reach: runs ? reach[sandbox] : 0, network: runs && network ? 1 : 0 }
}

function under({ sandbox: sandboxMode, approvalPolicy, network = false }: PermissionSettings, given: DecideSettings) {
  return { ...given, sandboxMode, approvalPolicy, network }
}

/** Tells if a call asks for rights that it does not need: what only looks runs everywhere, but the asking differs. */
function hasNeedlessRequest(call: Facts): boolean {
  if (call.kind !== 'command' || !call.knownSafe) return false
  return call.escalation !== null || call.network !== undefined
}

it('limits that are not looser let no call do more, whatever rules, answers for the session and enforcement say', () => {
  let compared = 0
  fc.assert(
    fc.property(facts, settings, limits, limits, (call, given, before, after) => {
      if (isLooser(after, before) || hasNeedlessRequest(call)) return
      compared += 1
      // An answer for the session counts under the sandbox mode in which it was given.
      const kept = after.sandbox === before.sandbox ? given : { ...given, sessionGrants: [] }
      const [more, less] = [outcomeOf(call, under(before, given)), outcomeOf(call, under(after, kept))]
      expect(less.verdict).toBeLessThanOrEqual(more.verdict)
      if (less.verdict < more.verdict) return
      expect(less.reach).toBeLessThanOrEqual(more.reach)
      expect(less.network).toBeLessThanOrEqual(more.network)
    }),
    { numRuns: runsOf(10_000) },
  )
  expect(compared).toBeGreaterThan(runsOf(10_000) / 10)
})

it('what is looser lets some call do more; from full access on a rule may have to ask for that', () => {
  const calls = fc.sample(facts, 200)
  const all = approvalPolicies.flatMap((approvalPolicy) => sandboxModes.map((sandbox) => ({ approvalPolicy, sandbox })))
  const plain = { rules: [], sessionGrants: [], enforcement: 'full' } as const
  for (const before of all)
    for (const after of all) {
      if (!isLooser(after, before) || before.sandbox === 'danger-full-access') continue
      const isMore = calls.some((call) => {
        const given = { ...plain, approvalPolicy: before.approvalPolicy, sandboxMode: before.sandbox }
        const [more, less] = [outcomeOf(call, under(after, given)), outcomeOf(call, under(before, given))]
        return more.verdict > less.verdict || more.reach > less.reach || more.network > less.network
      })
      expect(isMore, `${before.sandbox} ${before.approvalPolicy} → ${after.sandbox} ${after.approvalPolicy}`).toBe(true)
    }
})
