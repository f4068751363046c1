import type { Client, ConversationStore } from '@parley/client'
import { type ConversationEvent, type ConversationState, initialState, noTokens } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { describe, expect, test } from 'vitest'
import { followTurn } from '../../src/scripted/follow-turn.ts'
import { completed, envelopes, message } from './report-events.ts'

type Listener = Parameters<ConversationStore['subscribe']>[0]

/** A conversation that says what the test lets it say, and notes what is asked of the server. */
function conversation(refusal?: RpcError) {
  const listeners: Listener[] = []
  const asked: unknown[] = []
  const reported: string[] = []
  let state = initialState('c-1')
  const store: ConversationStore = {
    conversationId: 'c-1',
    get state() {
      return state
    },
    subscribe(listener) {
      listeners.push(listener)
      return () => undefined
    },
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  const client = {
    request: (method: string, params: unknown) => {
      asked.push([method, params])
      return refusal === undefined ? Promise.resolve({ seq: 1 }) : Promise.reject(refusal)
    },
  } as unknown as Client
  const reporter = {
    event: ({ event }: { event: ConversationEvent }) => void reported.push(event.type),
    problem: () => undefined,
    end: () => undefined,
  }
  return {
    turn: followTurn(client, store, reporter),
    asked,
    reported,
    say(...events: ConversationEvent[]) {
      for (const envelope of envelopes(...events)) for (const listener of listeners) listener(envelope)
    },
    replaceState(next: ConversationState) {
      state = next
      for (const listener of listeners) listener(null)
    },
  }
}

const started = (turnId: string) => ({ type: 'turn.started' as const, turnId, trigger: 'message' as const })
const ended = (turnId: string) => ({
  type: 'turn.ended' as const,
  turnId,
  outcome: 'completed' as const,
  usage: noTokens,
  denials: [],
})

describe('the turn of a run', () => {
  test('ends with its last message, whichever is known first: its id or its end', async () => {
    const events = [started('t-1'), completed(message('i-1', 'Let me look')), completed(message('i-2', 'Done'))]
    const early = conversation()
    early.say(...events, ended('t-1'))
    early.turn.expect('t-1')
    const late = conversation()
    late.turn.expect('t-1')
    late.say(...events, ended('t-1'))
    for (const { turn } of [early, late]) expect(await turn.ended).toEqual({ event: ended('t-1'), message: 'Done' })
  })

  test('is not taken for the one before it, nor its messages', async () => {
    const { turn, say, reported } = conversation()
    say(started('t-0'), completed(message('i-1', 'Old')), ended('t-0'))
    turn.expect('t-1')
    say(started('t-1'), ended('t-1'))
    expect(await turn.ended).toEqual({ event: ended('t-1'), message: null })
    expect(reported).toHaveLength(5)
  })

  test('is found in the state when its end was missed', async () => {
    const { turn, replaceState } = conversation()
    turn.expect('t-1')
    const state = initialState('c-1')
    const lastTurn = { id: 't-1', outcome: 'completed' as const, failure: null, usage: noTokens, endedAt: 0 }
    const said = { seq: 5, at: 0, turnId: 't-1', item: message('i-1', 'Done') }
    replaceState({ core: { ...state.core, lastTurn }, window: [said] })
    expect(await turn.ended).toMatchObject({ event: { outcome: 'completed' }, message: 'Done' })
  })
})

describe('an approval', () => {
  const approval = {
    id: 'a-1',
    itemId: 'i-1',
    turnId: 't-1',
    kind: 'command' as const,
    title: 'rm x',
    detail: 'rm x',
    cwd: '/w',
    sandbox: 'none' as const,
    reason: 'it deletes',
    rule: { name: 'builtin:ask' },
    decisions: ['approved' as const, 'denied' as const],
    answerableBy: [],
  }

  test('is denied at once, with the reason it was asked for', () => {
    const { say, asked } = conversation()
    say({ type: 'approval.requested', approval })
    const note = 'nobody is there to answer in this scripted run, and no rule allows it: it deletes'
    expect(asked).toEqual([
      ['approval/decide', { conversationId: 'c-1', approvalId: 'a-1', decision: 'denied', note, unattended: true }],
    ])
  })

  test('that someone else answered first is left alone', async () => {
    const { say, turn } = conversation(new RpcError(-32005, 'already answered', { code: 'approvalNotPending' }))
    say({ type: 'approval.requested', approval }, ended('t-1'))
    turn.expect('t-1')
    expect(await turn.ended).toMatchObject({ message: null })
  })
})
