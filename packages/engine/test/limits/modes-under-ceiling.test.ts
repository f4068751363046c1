import { approvalPolicies, isStricterSandbox, isUnasked, nextMode, pairOf, sandboxModes } from '@parley/protocol'
import { expect, test } from 'vitest'
import { assertUnderCeiling, type Ceiling, underCeiling } from '../../src/limits/ceiling.ts'

const ceilings = sandboxModes.flatMap((sandbox) =>
  [true, false].map(
    (neverWithFullAccess): Ceiling => ({ sandbox, neverWithFullAccess, network: false, unixSockets: false }),
  ),
)
const pairs = approvalPolicies.flatMap((approvalPolicy) => sandboxModes.map((sandbox) => ({ approvalPolicy, sandbox })))
const cases = ceilings.flatMap((ceiling) => pairs.map((now) => ({ ceiling, now: underCeiling(now, {}, ceiling) })))

test('every step through the modes, from any limits under any ceiling, stays under it', () => {
  for (const { ceiling, now } of cases) {
    const mode = nextMode(now, ceiling.sandbox)
    if (mode === null) continue
    const change = pairOf(mode)
    expect(() => assertUnderCeiling(change, now, () => ceiling)).not.toThrow()
    expect([isStricterSandbox(ceiling.sandbox, change.sandbox), isUnasked(change)]).toEqual([false, false])
  }
})

test('a mode changes the policy and the sandbox and nothing else', () => {
  for (const { ceiling, now } of cases) {
    const mode = nextMode(now, ceiling.sandbox)
    if (mode !== null) expect(Object.keys(pairOf(mode)).toSorted()).toEqual(['approvalPolicy', 'sandbox'])
  }
})
