import {
  type ConversationEvent,
  type ConversationState,
  cutOffHooks,
  type HookEvent,
  initialState,
  recover,
  reduce,
} from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { givenEvents } from '../reduce-fixture.ts'

const running = stateAfter(['a-conversation', 'a-running-turn', 'a-proposed-command'])

describe('hooks that were cut off with their program', () => {
  it.each(['SessionStart', 'PreCompact', 'Stop', 'PreToolUse'] as const)(
    'run again before what they guard where the turn goes on, and not where it does not (%s)',
    (on) => {
      const cut = after(running, [started(on, ['a', 'b'])])
      expect(found(cut, true)).toEqual({ again: [`a (${on})`], unknown: [], notRun: [] })
      expect(after(cut, recover(cut, true)).core.hooks).toEqual(cut.core.hooks)
      expect(found(cut, false)).toEqual({ again: [], unknown: [`a (${on})`], notRun: [`b (${on})`] })
      expect(after(cut, recover(cut)).core).not.toHaveProperty('hooks')
    },
  )

  it('after a call do not run twice, those that had not begun run, and the model is told', () => {
    const cut = after(running, [started('PostToolUse', ['a', 'b'])])
    expect(found(cut, true)).toEqual({ again: [], unknown: ['a (PostToolUse)'], notRun: [] })
    expect(left(after(cut, recover(cut, true)))).toEqual(['b'])
    const [told] = recover(cut, true)
    expect(told).toMatchObject({
      type: 'hook.ran',
      outcome: 'interrupted',
      context: expect.stringContaining('not known'),
    })
    const ended = recover(cut).find(({ type }) => type === 'hook.ran')
    expect(ended).toMatchObject({ hook: { name: 'a' }, context: expect.stringContaining('Not run after it: b.') })
    expect(after(cut, recover(cut)).core).not.toHaveProperty('hooks')
  })

  it('after a call run again where they are required', () => {
    const cut = after(running, [started('PostToolUse', ['a', 'b'], true)])
    expect(found(cut, true)).toEqual({ again: ['a (PostToolUse)'], unknown: [], notRun: [] })
    expect(left(after(cut, recover(cut, true)))).toEqual(['a', 'b'])
  })

  it.each(['PermissionDecision', 'Notification', 'SessionEnd'] as const)('and were only told are said (%s)', (on) => {
    const cut = after(running, [started(on, ['a'])])
    expect(found(cut, true)).toEqual({ again: [], unknown: [`a (${on})`], notRun: [] })
    expect(after(cut, recover(cut, true)).core).not.toHaveProperty('hooks')
  })

  it('before a compaction that a user asked for end with it', () => {
    const item = { id: 'i8', type: 'contextCompaction', status: 'inProgress', title: '', text: '' } as const
    const asked: ConversationEvent = { type: 'item.started', turnId: 't1', item: { ...item, trigger: 'manual' } }
    const cut = after(running, [asked, started('PreCompact', ['a'])])
    expect(found(cut, true)).toMatchObject({ unknown: ['a (PreCompact)'] })
  })
})

function found(state: ConversationState, goesOn: boolean) {
  return cutOffHooks(state.core, recover(state, goesOn))
}

function left({ core }: ConversationState): readonly string[] {
  return (core.hooks ?? []).flatMap(({ hooks }) => hooks.map(({ name }) => name))
}

function started(on: HookEvent, names: readonly string[], isRequired = false): ConversationEvent {
  const isOfCall = on === 'PreToolUse' || on === 'PostToolUse'
  const required = isRequired ? { required: true as const } : {}
  const hooks = names.map((name) => ({ name, on, source: 'user' as const, ...required }))
  return { type: 'hooks.started', on, turnId: 't1', ...(isOfCall ? { itemId: 'i3' } : {}), hooks }
}

function stateAfter(given: readonly string[]): ConversationState {
  return givenEvents(given).reduce(reduce, initialState('c0ffee'))
}

function after(state: ConversationState, events: readonly ConversationEvent[]): ConversationState {
  const { conversationId } = state.core.meta
  return events.reduce((now, event) => reduce(now, { conversationId, seq: now.core.seq + 1, at: 0, event }), state)
}
