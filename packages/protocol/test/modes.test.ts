import { expect, test } from 'vitest'
import { modeNamed, modeOf, modes, modesWithin, nextMode, pairOf, type SandboxMode } from '../src/index.ts'
import { approvalPolicy, sandboxMode } from '../src/schema/settings.ts'

test('each mode names one pair, and every other pair is custom', () => {
  const pairs = approvalPolicy.options.flatMap((policy) =>
    sandboxMode.options.map((sandbox) => [policy, sandbox, modeOf({ approvalPolicy: policy, sandbox })]),
  )
  expect(pairs.filter(([, , name]) => name !== 'custom')).toEqual([
    ['untrusted', 'workspace-write', 'ask'],
    ['on-request', 'read-only', 'plan'],
    ['on-request', 'workspace-write', 'edit'],
  ])
  expect(modes.map(modeOf)).toEqual(modes.map(({ name }) => name))
})

test('a ceiling leaves out what may write more, and the strictest of several counts', () => {
  const names = (...ceilings: readonly SandboxMode[]) => modesWithin(...ceilings).map(({ name }) => name)
  expect(names('workspace-write')).toEqual(['ask', 'edit', 'plan'])
  expect(names('danger-full-access', 'read-only')).toEqual(['plan'])
})

test('the next mode goes through all that every ceiling allows, and begins anew after the last and after custom', () => {
  const next = (name: string, ...ceilings: readonly SandboxMode[]) => {
    const mode = modeNamed(name)
    const now = mode === undefined ? ({ approvalPolicy: 'never', sandbox: 'read-only' } as const) : pairOf(mode)
    return nextMode(now, ...ceilings)?.name ?? null
  }
  expect(['ask', 'edit', 'plan', 'custom'].map((name) => next(name))).toEqual(['edit', 'plan', 'ask', 'ask'])
  expect(['ask', 'edit', 'plan', 'custom'].map((name) => next(name, 'read-only'))).toEqual([
    'plan',
    'plan',
    null,
    'plan',
  ])
})
