import { describe, expect, it } from 'vitest'
import { narrowed } from '../../src/decision/narrow.ts'

const rule = { name: 'hook:guard' }
const allowed = { verdict: 'allow', rule: { name: 'builtin:x' }, reason: 'harmless', run: 'sandboxed' } as const

describe('a decision that something besides policy narrows', () => {
  it('is a question in place of a yes, which no grant answers', () => {
    expect(narrowed(allowed, { verdict: 'ask', rule, reason: 'look' }, 'on-request')).toEqual({
      ...{ verdict: 'ask', rule, reason: 'look', run: 'sandboxed', isNarrowed: true },
    })
  })

  it('is a denial where it may not be asked', () => {
    expect(narrowed(allowed, { verdict: 'ask', rule, reason: 'look' }, 'never')).toMatchObject({
      verdict: 'deny',
      code: 'policyNever',
    })
  })

  it('keeps the question of policy and says both reasons', () => {
    const asked = { ...allowed, verdict: 'ask' as const, reason: 'it leaves the sandbox' }
    expect(narrowed(asked, { verdict: 'ask', rule, reason: 'look' }, 'on-request')).toEqual({
      ...asked,
      reason: 'look; it leaves the sandbox',
    })
  })
})
