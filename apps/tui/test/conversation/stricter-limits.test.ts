import { describe, expect, test } from 'vitest'
import { stricterLimits } from '../../src/conversation/open-conversation.ts'

const usual = { sandbox: 'workspace-write', approvalPolicy: 'on-request' } as const

describe('a new conversation', () => {
  test.each([
    ['a policy that asks about more', { ...usual, approvalPolicy: 'untrusted' }, { approvalPolicy: 'untrusted' }],
    ['a narrower sandbox', { ...usual, sandbox: 'read-only' }, { sandbox: 'read-only' }],
  ] as const)('takes over %s from the one before', (_, before, taken) => {
    expect(stricterLimits(before, usual)).toEqual(taken)
  })

  test.each([
    ['the same limits', usual],
    ['full access', { ...usual, sandbox: 'danger-full-access' }],
    ['a policy that never asks', { ...usual, approvalPolicy: 'never' }],
  ] as const)('does not take over %s', (_, before) => {
    expect(stricterLimits(before, usual)).toEqual({})
  })
})
