import { describe, expect, test } from 'vitest'
import { modelKept, stricterLimits } from '../../src/conversation/open-conversation.ts'

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

  const model = { modelProvider: 'openai', model: 'gpt-5' } as const

  test.each([
    ['another model', { ...model, model: 'gpt-5-mini' }, { model: 'gpt-5-mini' }],
    ['another effort', { ...model, effort: 'high' }, { effort: 'high' }],
    [
      'a model of another provider, even one of the same name',
      { modelProvider: 'router', model: 'gpt-5' },
      { modelProvider: 'router', model: 'gpt-5' },
    ],
  ] as const)('takes over %s', (_, before, taken) => {
    expect(modelKept(before, model)).toEqual(taken)
  })

  test.each([
    ['the same model', { ...model, effort: 'low' }],
    ['an effort that was never chosen', model],
    ['the lack of a model', { modelProvider: 'unconfigured', model: 'none' }],
  ])('keeps its own model and effort after %s', (_, before) => {
    expect(modelKept(before, { ...model, effort: 'low' })).toEqual({})
  })
})
