import {
  type Approval,
  type ConversationEvent,
  type ConversationState,
  type Item,
  initialState,
  reduce,
} from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { nextStep } from '../../src/core/next-step.ts'

const by = { clientId: 'c1', name: 'test' }
const started: ConversationEvent = { type: 'turn.started', turnId: 't1', trigger: 'message' }
const asked: ConversationEvent = { type: 'model.requested', turnId: 't1', attempt: 1 }
const responded: ConversationEvent = {
  type: 'model.responded',
  turnId: 't1',
  adapter: 'a',
  parts: [],
  text: '',
  calls: [],
}

const lookUp = (id: string): ConversationEvent => proposed({ ...call(id), readOnly: true })
const effect = (id: string): ConversationEvent => proposed(call(id))
const call = (id: string) =>
  ({ id, type: 'toolCall', status: 'proposed', title: id, text: '', tool: 'x', input: '{}' }) as const
const proposed = (item: Item): ConversationEvent => ({ type: 'item.started', turnId: 't1', item })
const done = (id: string): ConversationEvent => ({
  type: 'item.completed',
  turnId: 't1',
  item: { ...call(id), status: 'completed' },
})
const compaction: ConversationEvent = proposed({
  id: 'k',
  type: 'contextCompaction',
  status: 'proposed',
  title: '',
  text: '',
  trigger: 'manual',
})
const compacting: ConversationEvent = { type: 'turn.started', turnId: 't1', trigger: 'compaction' }
const compacted: ConversationEvent = {
  type: 'item.completed',
  turnId: 't1',
  item: { id: 'k', type: 'contextCompaction', status: 'completed', title: '', text: '', trigger: 'manual' },
}
const checking: ConversationEvent = {
  type: 'item.completed',
  turnId: 't1',
  item: {
    id: 'm',
    type: 'userMessage',
    status: 'completed',
    title: '',
    text: '',
    content: [],
    calls: [{ name: 'shell', arguments: '{}' }],
    ofChecks: true,
  },
}
const cut: ConversationEvent = {
  type: 'usage.updated',
  turnId: 't1',
  counts: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 },
  stopReason: 'outputLimit',
}
const commandCall = (id: string) => ({ ...call(id), type: 'commandExecution' as const, command: [id], cwd: '/' })
const command = (id: string): ConversationEvent => proposed(commandCall(id))
const ended = (id: string, exitCode: number | null, status?: 'unknown' | 'denied'): ConversationEvent => ({
  type: 'item.completed',
  turnId: 't1',
  item: { ...commandCall(id), status: status ?? (exitCode === 0 ? 'completed' : 'failed'), exitCode },
})
const queued = (messageId: string, when: 'queue' | 'steer'): ConversationEvent => ({
  type: 'message.queued',
  message: { messageId, when, content: [{ type: 'text', text: messageId }], by },
})
const approval = (itemId: string): ConversationEvent => ({
  type: 'approval.requested',
  approval: {
    id: `a-${itemId}`,
    itemId,
    turnId: 't1',
    kind: 'command',
    title: '',
    detail: '',
    cwd: '/',
    sandbox: 'none',
    reason: '',
    rule: { name: 'r' },
    decisions: ['approved', 'denied'],
    answerableBy: [],
  } satisfies Omit<Approval, 'state'>,
})
const decided = (itemId: string, decision: 'approved' | 'denied'): ConversationEvent => ({
  type: 'approval.decided',
  approvalId: `a-${itemId}`,
  decision,
  by,
})

function after(...events: ConversationEvent[]): ConversationState {
  return events.reduce(
    (state, event, index) => reduce(state, { conversationId: 'c', seq: index + 1, at: index, event }),
    initialState('c'),
  )
}

describe('the next step', () => {
  it.each<[string, ConversationEvent[], object]>([
    ['waits when nothing was ever said', [], { kind: 'await' }],
    ['calls the model when a turn starts', [started], { kind: 'callModel', steering: [] }],
    ['calls the model again when its answer was lost', [started, asked], { kind: 'callModel', steering: [] }],
    ['ends the turn after an answer without calls', [started, asked, responded], { kind: 'endTurn' }],
    [
      'runs look-ups together',
      [started, asked, lookUp('a'), lookUp('b'), responded],
      { kind: 'runCalls', itemIds: ['a', 'b'] },
    ],
    [
      'runs the look-ups before an effect',
      [started, asked, lookUp('a'), effect('b'), lookUp('c'), responded],
      { kind: 'runCalls', itemIds: ['a'] },
    ],
    [
      'runs an effect alone',
      [started, asked, effect('a'), effect('b'), responded],
      { kind: 'runCalls', itemIds: ['a'] },
    ],
    [
      'goes back to the model with the results',
      [started, asked, effect('a'), responded, done('a')],
      { kind: 'callModel', steering: [] },
    ],
    ['waits for an answer', [started, asked, effect('a'), lookUp('b'), responded, approval('a')], { kind: 'await' }],
    [
      'runs the look-ups that are not asked about',
      [started, asked, lookUp('a'), lookUp('b'), responded, approval('a')],
      { kind: 'runCalls', itemIds: ['b'] },
    ],
    [
      'runs what was approved',
      [started, asked, effect('a'), responded, approval('a'), decided('a', 'approved')],
      { kind: 'runCalls', itemIds: ['a'] },
    ],
    [
      'waits while the turn is parked',
      [started, asked, effect('a'), responded, { type: 'turn.parked', turnId: 't1', reason: '' }],
      { kind: 'await' },
    ],
    [
      'goes on with a parked turn',
      [started, { type: 'turn.parked', turnId: 't1', reason: '' }, { type: 'turn.continued', turnId: 't1' }],
      { kind: 'callModel', steering: [] },
    ],
    [
      'starts a turn for a queued message',
      [
        started,
        queued('m', 'queue'),
        { type: 'turn.ended', turnId: 't1', outcome: 'completed', usage: after().core.usage.total, denials: [] },
      ],
      { kind: 'startTurn', message: { messageId: 'm' } },
    ],
    [
      'starts nothing after an interrupt',
      [
        started,
        queued('m', 'queue'),
        { type: 'turn.ended', turnId: 't1', outcome: 'interrupted', usage: after().core.usage.total, denials: [] },
      ],
      { kind: 'await' },
    ],
    [
      'takes a steering message along after the results',
      [started, asked, effect('a'), responded, queued('m', 'steer'), done('a')],
      { kind: 'callModel', steering: [{ messageId: 'm' }] },
    ],
    ['compacts when that was asked for', [compacting, compaction], { kind: 'compact', item: { id: 'k' } }],
    ['ends a turn that only compacts', [compacting, compaction, compacted], { kind: 'endTurn' }],
    [
      'calls the model after a compaction when a message came meanwhile',
      [compacting, compaction, queued('m', 'steer'), compacted],
      { kind: 'callModel', steering: [{ messageId: 'm' }] },
    ],
    [
      'compacts no call away that is still open',
      [started, asked, effect('a'), responded, compaction],
      { kind: 'runCalls', itemIds: ['a'] },
    ],
    [
      'compacts before the results go to the model',
      [started, asked, effect('a'), responded, compaction, done('a')],
      { kind: 'compact', item: { id: 'k' } },
    ],
    ['compacts before the turn ends', [started, asked, compaction, responded], { kind: 'compact', item: { id: 'k' } }],
    [
      'does not steer with calls open',
      [started, asked, effect('a'), responded, queued('m', 'steer')],
      { kind: 'runCalls', itemIds: ['a'] },
    ],
    ['leaves a queued message where it is', [started, asked, responded, queued('m', 'queue')], { kind: 'endTurn' }],
  ])('%s', (_, events, step) => {
    expect(nextStep(after(...events))).toMatchObject(step)
  })

  it.each<[string, ConversationEvent[], object]>([
    ['are run after an answer without calls', [], { kind: 'beginChecks' }],
    ['are made before anything else', [checking], { kind: 'makeCalls', calls: [{ name: 'shell' }] }],
    ['run one by one', [checking, command('a'), command('b'), responded], { kind: 'runCalls', itemIds: ['a'] }],
    ['that pass end the turn', [checking, command('a'), responded, ended('a', 0)], { kind: 'endTurn' }],
    [
      'that fail go to the model once all of them have run',
      [checking, command('a'), command('b'), responded, ended('a', 1), ended('b', 0)],
      { kind: 'callModel', steering: [] },
    ],
    [
      'whose outcome a crash took have not passed',
      [checking, command('a'), responded, ended('a', null, 'unknown')],
      { kind: 'callModel', steering: [] },
    ],
    [
      'run again after the next answer',
      [checking, command('a'), responded, ended('a', 1), asked, responded],
      { kind: 'beginChecks' },
    ],
    [
      'fail the turn after the last round',
      [
        checking,
        command('a'),
        responded,
        ended('a', 1),
        asked,
        responded,
        checking,
        command('b'),
        responded,
        ended('b', 1),
      ],
      { kind: 'failTurn', failure: { code: 'checksFailed', message: expect.stringContaining('1 round of mending') } },
    ],
    [
      'end the turn at once where one is denied',
      [checking, command('a'), command('b'), responded, ended('a', null, 'denied')],
      { kind: 'failTurn', failure: { code: 'checkDenied' } },
    ],
    [
      'wait for a message that steers',
      [checking, command('a'), responded, ended('a', 0), queued('m', 'steer')],
      { kind: 'callModel', steering: [{ messageId: 'm' }] },
    ],
    ['are not run on an answer that was cut', [cut], { kind: 'endTurn' }],
  ])('the checks %s', (_, events, step) => {
    const checks = { commands: ['make'], rounds: 1 }
    expect(nextStep(after({ ...started, checks }, asked, responded, ...events))).toMatchObject(step)
  })

  it('compacts before a model call when the window is almost full', () => {
    const full = () => true
    expect(nextStep(after(started), full)).toEqual({ kind: 'compact', item: null })
    expect(nextStep(after(started, asked, responded), full)).toEqual({ kind: 'endTurn' })
    expect(nextStep(after(started, asked, effect('a'), responded), full)).toMatchObject({ kind: 'runCalls' })
  })
})
