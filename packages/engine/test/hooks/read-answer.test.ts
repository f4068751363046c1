import type { HookEvent } from '@parley/protocol'
import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findingOf } from '../../src/hooks/read-answer.ts'
import type { HookEnd } from '../../src/hooks/run-hook.ts'

const exited: HookEnd = { how: 'exited', exitCode: 0, signal: null, stdout: '', stderr: '', durationMs: 1 }

function found(end: Partial<HookEnd>, on: HookEvent = 'PreToolUse', required = false) {
  return findingOf({ on, required, timeoutMs: 60_000 }, { ...exited, ...end })
}

function says(answer: unknown, on?: HookEvent) {
  return found({ stdout: JSON.stringify(answer) }, on)
}

describe('the answer of a hook', () => {
  it('is its exit code where it writes nothing', () => {
    expect(found({})).toEqual({ outcome: 'passed' })
    expect(found({ exitCode: 2, stderr: 'no rm\n' })).toEqual({ outcome: 'stopped', reason: 'no rm', said: 'no rm' })
    expect(found({ exitCode: 2 }).reason).toBe('it gives no reason')
  })

  it.each([
    [{ how: 'timedOut' }, 'it did not end within 60.0 s and was stopped'],
    [{ how: 'flooded' }, 'it wrote more than 1 MiB and was stopped'],
    [{ how: 'notStarted', problem: 'no such program' }, 'it could not be started: no such program'],
    [{ exitCode: null, signal: 'SIGSEGV' }, 'it was ended by SIGSEGV'],
    [{ exitCode: 127, stderr: 'sh: gone: not found\nmore' }, 'it ended with exit 127: sh: gone: not found'],
    [{ stdout: '{"decision": ' }, 'its output begins like JSON and is none'],
    [{ stdout: '{"decision": 5}' }, 'its answer is not right: decision'],
  ] as const)('is a failure in one sentence for %o', (end, reason) => {
    const finding = found(end)
    expect(finding.outcome).toBe('failed')
    expect(finding.reason).toContain(reason)
    expect(found(end, 'PreToolUse', true)).toMatchObject({
      outcome: 'stopped',
      reason: `it is required, and ${finding.reason}`,
    })
  })

  it('stops with a denial or a block, and asks where it request so', () => {
    const denied = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not today' } }
    expect(says(denied)).toMatchObject({ outcome: 'stopped', reason: 'not today' })
    expect(says({ decision: 'block', reason: 'no' })).toMatchObject({ outcome: 'stopped', reason: 'no' })
    const asked = { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'look' } }
    expect(says(asked)).toMatchObject({ outcome: 'asked', reason: 'look' })
    expect(says({ continue: false, stopReason: 'enough' })).toMatchObject({
      outcome: 'stopped',
      endsTurn: true,
      reason: 'enough',
    })
  })

  it('allows nothing, whatever it says', () => {
    expect(says({ decision: 'approve' }).outcome).toBe('passed')
    expect(says({ hookSpecificOutput: { permissionDecision: 'allow' } }).outcome).toBe('passed')
  })

  it('has the user asked about a changed call, also where it says allow', () => {
    const changed = { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'ls' } } }
    expect(says(changed)).toMatchObject({ outcome: 'asked', updatedInput: { command: 'ls' } })
  })

  it('is text for the model where it is plain and about a prompt or a start, and only kept elsewhere', () => {
    expect(found({ stdout: 'on call: ada\n' }, 'UserPromptSubmit')).toMatchObject({ context: 'on call: ada' })
    expect(found({ stdout: 'looked\n' })).toEqual({ outcome: 'passed', said: 'looked' })
    expect(says({ hookSpecificOutput: { additionalContext: 'x'.repeat(20_000) } }).context).toMatch(
      /cut after 10000 characters/,
    )
  })

  it('gives the model the reason after a call and before the end of a turn', () => {
    expect(found({ exitCode: 2, stderr: 'tests fail' }, 'PostToolUse').context).toBe('tests fail')
    expect(found({ exitCode: 2, stderr: 'tests fail' }, 'Stop').context).toBe('tests fail')
    expect(says({ continue: false }, 'Stop').outcome).toBe('passed')
  })

  it('gives the model the reason of a required one that fails there', () => {
    for (const on of ['PostToolUse', 'Stop'] as const)
      expect(found({ exitCode: 7 }, on, true)).toMatchObject({
        outcome: 'stopped',
        context: 'it is required, and it ended with exit 7',
      })
  })

  it('stops nothing where nothing is left to stop', () => {
    expect(found({ exitCode: 2, stderr: 'no' }, 'Notification').outcome).toBe('failed')
    expect(found({ exitCode: 1 }, 'SessionEnd', true).outcome).toBe('failed')
  })

  it('is a finding for any output and any exit', () => {
    const text = fc.string({ unit: codePoint })
    const end = fc.record({
      how: fc.constantFrom('exited' as const, 'timedOut' as const, 'flooded' as const, 'notStarted' as const),
      exitCode: fc.option(fc.nat(255)),
      stdout: fc.oneof(
        text,
        fc.json(),
        text.map((rest) => `{${rest}`),
      ),
      stderr: text,
    })
    fc.assert(
      fc.property(end, (given) => {
        const { outcome, reason } = found(given)
        expect(['passed', 'asked', 'stopped', 'failed']).toContain(outcome)
        if (outcome === 'failed' || outcome === 'stopped') expect(reason).not.toBe('')
      }),
    )
  })
})
