import { type ConversationEvent, type ConversationState, initialState, recover, reduce } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { givenEvents } from '../reduce-fixture.ts'

const call = { type: 'toolCall', status: 'proposed', title: 'ls', text: 'ls', tool: 'list', input: '{}' } as const
const waiting = stateAfter([
  'a-conversation',
  'a-running-turn',
  'a-proposed-command',
  'a-command-that-waits-for-approval',
])
const running = after(waiting, [begin('i3')])

describe('recover', () => {
  it('returns nothing for an idle conversation', () => {
    expect(recover(stateAfter(['a-conversation']))).toEqual([])
  })

  it('keeps a pending approval and parks its turn', () => {
    expect(recover(waiting)).toEqual([expect.objectContaining({ type: 'turn.parked', turnId: 't1' })])
  })

  it('leaves a turn that waits at a limit as it is, without a call', () => {
    const parked = { type: 'turn.parked', turnId: 't1', reason: 'Limit reached.', limit: 'tokens' } as const
    const limited = after(stateAfter(['a-conversation', 'a-running-turn']), [parked])
    expect(recover(limited)).toEqual([])
    expect(limited.core.turn).toMatchObject({ parked: true, limit: 'tokens' })
  })

  it('leaves a turn that ran open where it goes on, with what the loop takes up', () => {
    const streaming = after(stateAfter(['a-conversation', 'a-running-turn']), [
      { type: 'model.requested', turnId: 't1', attempt: 1, request: 'h' },
      {
        type: 'item.started',
        turnId: 't1',
        item: { id: 'i5', type: 'agentMessage', status: 'inProgress', title: '', text: '' },
      },
    ])
    expect(recover(streaming)).toMatchObject([{ type: 'item.completed' }, { type: 'turn.ended' }])
    expect(recover(streaming, true)).toEqual([])
    expect(recover(running, true)).toMatchObject([{ type: 'item.completed', item: { id: 'i3', status: 'unknown' } }])
    expect(recover(waiting, true)).toEqual(recover(waiting))
  })

  it('keeps an approved call that has not begun', () => {
    const approved = after(waiting, [decide('approved')])
    expect(recover(approved)).toEqual([expect.objectContaining({ type: 'turn.parked' })])
    expect(after(approved, recover(approved)).core.approvals).toMatchObject({ a1: { state: 'approved' } })
  })

  it('keeps the calls behind a pending approval as they were proposed', () => {
    const more = after(waiting, [{ type: 'item.started', turnId: 't1', item: { ...call, id: 'i4' } }])
    expect(after(more, recover(more)).core.open).toMatchObject({ i4: { item: { status: 'proposed' } } })
  })

  it('withdraws the approval of a call with a secret, and tells the model', () => {
    const forgotten = after(waiting, [
      { type: 'item.started', turnId: 't1', item: { ...call, id: 'i3', restorable: false } },
    ])
    const events = recover(forgotten)
    expect(events).toMatchObject([
      { type: 'approval.decided', approvalId: 'a1', decision: 'withdrawn', note: 'secretNotKept' },
      { type: 'item.completed', item: { status: 'interrupted', failure: { code: 'secretNotKept' } } },
      { type: 'turn.ended', outcome: 'interrupted' },
    ])
    expect(after(forgotten, events).core).toMatchObject({ open: {}, approvals: {}, turn: null })
  })

  it('ends a started call with a secret as unknown', () => {
    const begun = after(waiting, [
      { type: 'item.started', turnId: 't1', item: { ...call, id: 'i3', restorable: false } },
      begin('i3'),
    ])
    expect(recover(begun)).toMatchObject([{ item: { status: 'unknown' } }, { type: 'turn.ended' }])
  })

  it('closes a message with what it said, as interrupted', () => {
    const writing = stateAfter(['a-conversation', 'a-running-turn', 'a-message-being-written'])
    expect(recover(writing)).toMatchObject([
      { type: 'item.completed', item: { id: 'i2', status: 'interrupted', text: 'I will ' } },
      { type: 'turn.ended', outcome: 'interrupted' },
    ])
  })

  it('ends a started call as unknown and never as not run', () => {
    const [closed] = recover(running)
    expect(closed).toMatchObject({
      type: 'item.completed',
      item: { status: 'unknown', modelText: expect.stringContaining('unknown') },
    })
  })

  it('shows the output that came, counted in bytes', () => {
    const printed = after(running, [{ type: 'item.delta', itemId: 'i3', text: 'né 🙂\n' }])
    expect(recover(printed)).toMatchObject([
      { item: { output: { head: 'né 🙂\n', tail: '', totalBytes: 9, omittedBytes: 0 } } },
      {},
    ])
  })

  it('says how many bytes are missing between head and tail', () => {
    const printed = after(running, [
      { type: 'item.delta', itemId: 'i3', text: 'é'.repeat(10) },
      { type: 'item.progress', itemId: 'i3', totalBytes: 100, tail: 'üü' },
    ])
    expect(recover(printed)).toMatchObject([
      { item: { output: { tail: 'üü', totalBytes: 100, omittedBytes: 76 } } },
      {},
    ])
  })

  describe('a command that ran once and waits to run again', () => {
    const command = { ...call, id: 'i3', status: 'failed', modelText: 'exit 1', attempt: 1 } as const
    const failedOnce = after(running, [{ type: 'execution.failed', itemId: 'i3', attempt: 1, item: command }])
    const asked = after(failedOnce, [ask('i3')])

    it('keeps its approval', () => {
      expect(recover(asked)).toEqual([expect.objectContaining({ type: 'turn.parked' })])
      expect(after(asked, recover(asked)).core.open['i3']).toMatchObject({
        failedExecution: command,
        executionStarted: false,
      })
    })

    it('ends with its first outcome where the approval was lost or denied', () => {
      const no = decide('denied', 'a-i3')
      for (const state of [failedOnce, after(asked, [no])])
        expect(recover(state)).toMatchObject([{ type: 'item.completed', item: command }, { type: 'turn.ended' }])
    })

    it('is unknown once it has begun again', () => {
      const again = after(asked, [begin('i3', 2)])
      expect(recover(again)).toMatchObject([{ item: { status: 'unknown' } }, { type: 'turn.ended' }])
    })
  })

  it('denies a call whose answer was no, also while another approval waits', () => {
    const two = after(waiting, [
      { type: 'item.started', turnId: 't1', item: { ...call, id: 'i4' } },
      ask('i4'),
      decide('denied'),
    ])
    expect(recover(two)).toMatchObject([
      { type: 'item.completed', item: { id: 'i3', status: 'denied' } },
      { type: 'turn.parked', turnId: 't1' },
    ])
  })

  it('leaves a call to its approval for another attempt', () => {
    const asking = after(running, [ask('i3')])
    expect(recover(asking)).toEqual([expect.objectContaining({ type: 'turn.parked' })])
  })

  it('withdraws an approval whose call was lost, and parks the turn for the other one', () => {
    const orphaned = after(waiting, [ask('i9'), { type: 'turn.parked', turnId: 't1', reason: 'Nobody is here.' }])
    expect(recover(orphaned)).toMatchObject([
      { type: 'approval.decided', approvalId: 'a-i9', decision: 'withdrawn' },
      { type: 'turn.parked', turnId: 't1' },
    ])
  })

  it('does not withdraw an approval that leaves with its call', () => {
    const lost: ConversationState = { ...waiting, core: { ...waiting.core, turn: null } }
    expect(recover(lost).map(({ type }) => type)).toEqual(['item.completed'])
  })

  it('withdraws the question of a call that ran, and calls the call unknown', () => {
    const asking = after(
      running,
      givenEvents(['a-question-of-a-running-call']).map(({ event }) => event),
    )
    expect(recover(asking)).toMatchObject([
      { type: 'approval.decided', approvalId: 'a2', decision: 'withdrawn' },
      { type: 'item.completed', item: { id: 'i3', status: 'unknown', modelText: expect.stringContaining('unknown') } },
      { type: 'turn.ended', outcome: 'interrupted' },
    ])
  })

  it("calls the user's own command unknown, in and out of a turn", () => {
    const item = {
      id: 'i9',
      type: 'shellCommand',
      status: 'inProgress',
      title: 'ls',
      text: 'ls',
      command: 'ls',
      cwd: '/repo',
    } as const
    const shell = after(waiting, [{ type: 'item.started', item }])
    expect(recover(shell)).toMatchObject([
      { type: 'item.completed', item: { id: 'i9', status: 'unknown' } },
      { type: 'turn.parked' },
    ])
  })
})

function stateAfter(given: readonly string[]): ConversationState {
  return givenEvents(given).reduce(reduce, initialState('c0ffee'))
}

function after(state: ConversationState, events: readonly ConversationEvent[]): ConversationState {
  const { conversationId } = state.core.meta
  return events.reduce((now, event) => reduce(now, { conversationId, seq: now.core.seq + 1, at: 0, event }), state)
}

function begin(itemId: string, attempt = 1): ConversationEvent {
  return { type: 'execution.started', itemId, attempt, decidedBy: { approvalId: 'a1' }, payloadHash: 'sha256:aa' }
}

function decide(decision: 'approved' | 'denied', approvalId = 'a1'): ConversationEvent {
  return { type: 'approval.decided', approvalId, decision, by: { clientId: 'c-1', name: 'ada' } }
}

function ask(itemId: string): ConversationEvent {
  const about = {
    itemId,
    turnId: 't1',
    kind: 'command',
    title: 'ls',
    detail: 'ls',
    cwd: '/repo',
    sandbox: 'none',
  } as const
  const approval = {
    id: `a-${itemId}`,
    ...about,
    reason: '',
    rule: { name: 'builtin:ask' },
    decisions: [],
    answerableBy: [],
  }
  return { type: 'approval.requested', approval }
}
