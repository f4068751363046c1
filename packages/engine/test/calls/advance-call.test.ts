import type { Rules } from '@parley/policy'
import type { ConversationEvent, Settings } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advanceCall, type CallStep, type PhasedCall } from '../../src/calls/advance-call.ts'
import type { CallPolicy } from '../../src/calls/attempt.ts'
import {
  answered,
  asked,
  blocked,
  blockedItem,
  examined,
  logOf,
  planned,
  plannedAs,
  policyWith,
  ranInto,
  started,
  understood,
  unreachable,
} from './sample-calls.ts'

const sandboxed = { approvalPolicy: 'on-failure', sandbox: 'workspace-write', enforcement: 'full' } as const
const untrusted = { ...sandboxed, approvalPolicy: 'untrusted' } as const
const never = { approvalPolicy: 'never', sandbox: 'workspace-write', enforcement: 'none' } as const

function rule(decision: 'allow' | 'ask' | 'deny'): Rules {
  return [{ decision, target: { kind: 'command', prefix: [['make']] }, source: { file: 'policy.toml' } }]
}

/** The hash that a question about this call binds to under these settings. */
function hashAsked(call: PhasedCall, settings: Partial<Settings>, ...events: readonly ConversationEvent[]): string {
  const step = advanceCall(call, policyWith(logOf(settings, ...events)))
  return step.kind === 'ask' ? (step.question.contentHash ?? '') : ''
}

const hash = hashAsked(planned, untrusted)
const retryHash = hashAsked(ranInto(1), sandboxed, started)

describe('a call that an earlier server has started', () => {
  const state = logOf(sandboxed, started)
  const follow = () => Promise.reject(new Error('not in this test'))
  const followed: PhasedCall =
    understood.phase === 'understood' ? { ...understood, prepared: { ...understood.prepared, follow } } : understood

  it('is followed where an exec-server has kept its run, and its tool can', () => {
    const kept = policyWith(state, { runningOnMs: () => 7 })
    expect(advanceCall(followed, kept)).toMatchObject({ kind: 'follow', ageMs: 7 })
    expect(advanceCall(understood, kept)).toMatchObject({ kind: 'keep', item: { status: 'unknown' } })
    expect(advanceCall(followed, policyWith(state))).toMatchObject({ kind: 'keep', item: { status: 'unknown' } })
  })
})

describe('the next step of a call', () => {
  const rows: [string, PhasedCall, Partial<Settings>, ConversationEvent[], object][] = [
    ['examines a call whose facts are unknown', understood, sandboxed, [], { kind: 'examine' }],
    ['plans a call that may run', examined, sandboxed, [], { kind: 'plan' }],
    ['plans a call that is to be asked about', examined, untrusted, [], { kind: 'plan' }],
    ['denies a forbidden call without a plan', examined, never, [], { kind: 'deny', item: { status: 'denied' } }],
    [
      'runs an allowed plan in the sandbox',
      planned,
      sandboxed,
      [],
      { kind: 'run', attempt: { number: 1, limits: { sandbox: 'workspace-write' } }, grant: null },
    ],
    ['asks about a plan', planned, untrusted, [], { kind: 'ask', failed: null, question: { itemId: 'item' } }],
    ['waits while the question is pending', understood, untrusted, [asked(hash)], { kind: 'wait' }],
    [
      'runs exactly the plan that was approved',
      planned,
      untrusted,
      [asked(hash), answered('approved')],
      { kind: 'run', payloadHash: hash, grant: null, item: { decision: { approvalId: 'approval' } } },
    ],
    [
      'grants the session what was approved for it',
      planned,
      untrusted,
      [asked(hash), answered('approvedForSession')],
      { kind: 'run', grant: { kind: 'exactly', shown: expect.stringContaining('["make","it"]') } },
    ],
    [
      'asks anew about a plan that changed since the yes',
      plannedAs('make more'),
      untrusted,
      [asked(hash), answered('approved')],
      { kind: 'ask', question: { reason: expect.stringContaining('has changed since the yes') } },
    ],
    [
      'asks anew under limits that changed since the yes',
      planned,
      { ...untrusted, enforcement: 'none' },
      [asked(hash), answered('approved')],
      { kind: 'ask' },
    ],
    ['keeps a started call as unknown', planned, sandboxed, [started], { kind: 'keep', item: { status: 'unknown' } }],
    [
      'asks for a retry after a block, with the first outcome',
      ranInto(1),
      sandboxed,
      [started],
      { kind: 'ask', failed: { exitCode: 3 }, question: { attempt: 2, sandbox: 'none' } },
    ],
    [
      'keeps the outcome of a blocked run where the policy does not offer a retry',
      ranInto(1),
      { ...sandboxed, approvalPolicy: 'on-request' },
      [started],
      { kind: 'keep', item: { exitCode: 3, sandboxBlock: { paths: ['/etc/x'] } } },
    ],
    ['keeps the outcome of a second run', ranInto(2), sandboxed, [started], { kind: 'keep', item: { attempt: 2 } }],
    [
      'runs an approved retry outside the sandbox',
      planned,
      sandboxed,
      [started, blocked, asked(retryHash), answered('approved')],
      { kind: 'run', attempt: { number: 2, limits: { sandbox: 'none' } } },
    ],
    [
      'keeps the first outcome of a blocked call without an answer',
      planned,
      sandboxed,
      [started, blocked],
      { kind: 'keep', item: blockedItem },
    ],
    [
      'keeps the first outcome where the policy no longer offers a retry',
      planned,
      never,
      [started, blocked, asked(retryHash), answered('approved')],
      { kind: 'keep', item: blockedItem },
    ],
    [
      'keeps a started retry as unknown',
      planned,
      sandboxed,
      [started, blocked, asked(retryHash), answered('approved'), { ...started, attempt: 2 }],
      { kind: 'keep', item: { status: 'unknown' } },
    ],
    [
      'rejects a call whose environment is unreachable',
      unreachable,
      sandboxed,
      [],
      { kind: 'reject', item: { status: 'failed', failure: { code: 'environmentUnreachable' } } },
    ],
    [
      'keeps the first outcome where the environment of a retry is unreachable',
      unreachable,
      sandboxed,
      [started, blocked, asked(retryHash), answered('approved')],
      { kind: 'keep', item: blockedItem },
    ],
  ]
  it.each(rows)('%s', (_, call, settings, events, step) => {
    expect(advanceCall(call, policyWith(logOf(settings, ...events)))).toMatchObject(step)
  })

  it('starts nothing in a stopped turn', () => {
    const state = logOf(untrusted, asked(hash), answered('approved'))
    expect(advanceCall(planned, policyWith(state, { stopped: true }))).toEqual({ kind: 'wait' })
  })

  it('rejects a call when marks would hide a part of it from the user', () => {
    const secretsIn = () => new Map([['key', 'rm -rf /']])
    const step = advanceCall(planned, policyWith(logOf(untrusted), { secretsIn }))
    expect(step).toMatchObject({ kind: 'reject', item: { status: 'failed' } })
  })

  it('waits when the call has ended', () => {
    const over: ConversationEvent = { type: 'item.completed', turnId: 'turn', item: blockedItem }
    expect(advanceCall(planned, policyWith(logOf(sandboxed, started, over)))).toEqual({ kind: 'wait' })
  })
})

const settings = fc.record({
  approvalPolicy: fc.constantFrom('untrusted', 'on-failure', 'on-request', 'never'),
  sandbox: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access'),
  enforcement: fc.constantFrom('full', 'partial', 'none'),
} as const)
const yes = fc.constantFrom('approved', 'approvedForSession', 'approvedAlways')
const hashes = fc.constantFrom(hash, retryHash, 'sha256:0')
const questions = fc
  .tuple(hashes, fc.option(yes))
  .map(([bound, decision]) => [asked(bound), ...(decision === null ? [] : [answered(decision)])])
const logs = fc
  .tuple(fc.option(questions), fc.boolean(), fc.boolean(), fc.option(questions))
  .map(([first, runs, fails, second]) => [
    ...(first ?? []),
    ...(runs ? [started, ...(fails ? [blocked, ...(second ?? [])] : [])] : []),
  ])
const rules = fc.constantFrom<Rules>([], rule('allow'), rule('ask'), rule('deny'))
const policies: fc.Arbitrary<CallPolicy> = fc
  .tuple(settings, logs, rules, fc.boolean())
  .map(([given, events, held, stopped]) => policyWith(logOf(given, ...events), { rules: held, stopped }))
const waiting = fc.constantFrom(understood, examined, planned, plannedAs('make more'))
const calls = fc.oneof(waiting, fc.constantFrom(unreachable, ranInto(1), ranInto(2)))

function isStarted({ state }: CallPolicy): boolean {
  return Object.values(state.core.open).some(({ executionStarted }) => executionStarted)
}

function approvalIn({ state }: CallPolicy) {
  return Object.values(state.core.approvals)[0]
}

/** The steps of a call when each one succeeds, up to its end, a question or a run. */
function stepsOf(call: PhasedCall, policy: CallPolicy): CallStep['kind'][] {
  const step = advanceCall(call, policy)
  if (step.kind === 'examine') return [step.kind, ...stepsOf(examined, policy)]
  return step.kind === 'plan' ? [step.kind, ...stepsOf(planned, policy)] : [step.kind]
}

describe('for every log and policy', () => {
  it('a started call is neither planned, asked about nor run', () => {
    fc.assert(
      fc.property(waiting, policies.filter(isStarted), (call, policy) => {
        expect(advanceCall(call, policy)).toMatchObject({ kind: 'keep', item: { status: 'unknown' } })
      }),
    )
  })

  it('a yes runs only the payload it was given for', () => {
    fc.assert(
      fc.property(calls, policies, (call, policy) => {
        const step = advanceCall(call, policy)
        fc.pre(step.kind === 'run')
        const { approvalId, verdict } = step.item.decision
        if (approvalId === undefined) expect(verdict).toBe('allow')
        else
          expect(approvalIn(policy)).toMatchObject({ id: approvalId, state: 'approved', contentHash: step.payloadHash })
      }),
    )
  })

  it('a call that a rule denies is neither planned, asked about nor run', () => {
    fc.assert(
      fc.property(calls, policies, (call, policy) => {
        const { kind } = advanceCall(call, { ...policy, rules: rule('deny') })
        expect(['plan', 'ask', 'run']).not.toContain(kind)
      }),
    )
  })

  it('nothing runs while its question is pending, nor in a stopped turn', () => {
    const isHeld = (policy: CallPolicy) => policy.stopped || approvalIn(policy)?.state === 'pending'
    fc.assert(
      fc.property(calls, policies.filter(isHeld), (call, policy) => {
        expect(advanceCall(call, policy).kind).not.toBe('run')
      }),
    )
  })

  it('a second run needs a blocked first run and a yes', () => {
    fc.assert(
      fc.property(calls, policies, (call, policy) => {
        const step = advanceCall(call, policy)
        fc.pre(step.kind === 'run')
        const hasRun = Object.values(policy.state.core.open).some(
          ({ failedExecution }) => failedExecution !== undefined,
        )
        expect(step.attempt.number).toBe(hasRun ? 2 : 1)
        if (hasRun) expect(step.item.decision.approvalId).toBe('approval')
      }),
    )
  })

  it('a call reaches an end, a question or a run within three steps, and the steps are repeatable', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const kinds = stepsOf(understood, policy)
        expect(kinds.length).toBeLessThanOrEqual(3)
        expect(stepsOf(understood, policy)).toEqual(kinds)
      }),
    )
  })
})
