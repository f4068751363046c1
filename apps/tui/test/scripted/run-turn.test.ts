import { connect, type SpawnedServer } from '@parley/client'
import { type ConversationEvent, type Envelope, initialState, noTokens, reduce } from '@parley/protocol'
import { createMemoryTransportPair, createPeer, type MethodHandler, RpcError } from '@parley/rpc'
import { describe, expect, test } from 'vitest'
import { StoppedError } from '../../src/scripted/end/stopper.ts'
import type { OutputPace } from '../../src/scripted/output/run-output.ts'
import { createRunBudget } from '../../src/scripted/run-budget.ts'
import { runTurn } from '../../src/scripted/run-turn.ts'
import { atOnce } from './pace.ts'
import { envelopes, message } from './reports/report-events.ts'

const conversationId = 'c-12345678'

interface Script {
  /** Sent before the answer to the message. */
  readonly early?: readonly ConversationEvent[]
  /** Sent after the answer to the message. */
  readonly late?: readonly ConversationEvent[]
  /** Sent after an answer to an approval. */
  readonly decided?: readonly ConversationEvent[]
  /** Recorded, but never sent: the next event reveals a gap. */
  readonly missed?: readonly ConversationEvent[]
  readonly refusal?: RpcError
  readonly pace?: OutputPace
}

/** Runs a turn of `t-1` on a server in memory that follows the script. */
async function run({ early = [], late = [], decided = [], missed = [], refusal, pace = atOnce }: Script) {
  const [transport, far] = createMemoryTransportPair()
  const asked: [string, unknown][] = []
  const reported: string[] = []
  const all = envelopes(...early, ...late, ...decided, ...missed, { type: 'conversation.renamed', name: 'last' })
  const recorded: Envelope[] = []
  const send = (count: number) => {
    for (const envelope of all.slice(recorded.length, recorded.length + count)) {
      recorded.push(envelope)
      peer.notify('conversation/event', envelope)
    }
  }
  const miss = () => {
    recorded.push(...all.slice(recorded.length))
    peer.notify('conversation/event', recorded.at(-1))
  }
  const methods: Record<string, MethodHandler> = {
    initialize: () => ({ protocolVersion: 2, serverInfo: {}, clientId: 'own', home: '/', capabilities: [] }),
    'conversation/create': () => ({ conversationId }),
    'conversation/stream': () => ({
      state: recorded.reduce(reduce, initialState(conversationId)),
      cursor: { seq: recorded.length, crc: null },
    }),
    'conversation/sendMessage': () => {
      send(early.length)
      setImmediate(() => send(late.length))
      if (missed.length > 0) setImmediate(miss)
      return { seq: 2, turnId: 't-1', disposition: 'started' }
    },
    'conversation/readEvents': (params) => ({ events: recorded.filter(({ seq }) => seq > seqOf(params)), more: false }),
    'approval/decide': (params) => {
      asked.push(['approval/decide', params])
      setImmediate(() => send(decided.length))
      if (refusal !== undefined) throw refusal
      return { seq: 1 }
    },
  }
  const peer = createPeer({ transport: far, methods, notifications: {} })
  const exited = Promise.withResolvers<{ code: number; signal: null }>()
  const server: SpawnedServer = {
    transport,
    pid: 1,
    program: 'parley',
    exited: exited.promise,
    stderrTail: () => null,
    kill: () => undefined,
    release: () => undefined,
  }
  const parley = await connect({ server })
  const reporter = {
    event: ({ event }: { event: ConversationEvent }) => void reported.push(event.type),
    problem: () => undefined,
    end: () => undefined,
  }
  const conversation = await parley.create({ cwd: '/w' })
  const input = [{ type: 'text' as const, text: 'Go on' }]
  const run = {
    given: null,
    conversation,
    reporter,
    pace,
    budget: createRunBudget({}),
    signal: new AbortController().signal,
  }
  const end = await runTurn(run, { input })
  exited.resolve({ code: 0, signal: null })
  await parley.close()
  return { end, asked, reported }
}

function seqOf(params: unknown): number {
  return (params as { after: { seq: number } }).after.seq
}

const started = (turnId: string) => ({ type: 'turn.started' as const, turnId, trigger: 'message' as const })
const ended = (turnId: string) => ({
  type: 'turn.ended' as const,
  turnId,
  outcome: 'completed' as const,
  usage: noTokens,
  denials: [],
})
const said = (turnId: string, id: string, text: string): ConversationEvent => ({
  type: 'item.completed',
  turnId,
  item: message(id, text),
})

describe('the turn of a run', () => {
  test('ends with its last message, whichever is known first: its id or its end', async () => {
    const events = [started('t-1'), said('t-1', 'i-1', 'Let me look'), said('t-1', 'i-2', 'Done'), ended('t-1')]
    for (const script of [{ early: events }, { late: events }])
      expect((await run(script)).end).toMatchObject({ exitCode: 0, outcome: 'completed', answer: 'Done' })
  })

  test('is not taken for the one before it, nor its messages', async () => {
    const early = [started('t-0'), said('t-0', 'i-1', 'Old'), ended('t-0')]
    const { end, reported } = await run({ early, late: [started('t-1'), ended('t-1')] })
    expect(end).toMatchObject({ outcome: 'completed', answer: null })
    expect(reported).toHaveLength(5)
  })

  test('is found in the log when its end was missed', async () => {
    const { end } = await run({ early: [started('t-1')], missed: [said('t-1', 'i-1', 'Done'), ended('t-1')] })
    expect(end).toMatchObject({ outcome: 'completed', answer: 'Done' })
  })
})

describe('a reader of the output', () => {
  const turn = [started('t-1'), said('t-1', 'i-1', 'Done'), ended('t-1')]

  test('that takes one event after the other gets all before the run ends', async () => {
    let taken = 0
    const drained = async () => {
      taken += 1
      await new Promise(setImmediate)
    }
    const { end, reported } = await run({ late: turn, pace: { ...atOnce, isBehind: true, drained } })
    expect(end).toMatchObject({ answer: 'Done' })
    expect(reported).toEqual(['turn.started', 'item.completed', 'turn.ended'])
    expect(taken).toBe(3)
  })

  test('that does not read gets no second event, and is waited for until patience ends', async () => {
    const outOfPatience = () => Promise.resolve(new StoppedError(5))
    const pace = { isBehind: true, drained: () => new Promise<void>(() => {}), outOfPatience }
    const { end, reported } = await run({ late: turn, pace })
    expect(end).toMatchObject({ answer: 'Done' })
    expect(reported).toEqual(['turn.started'])
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

  const script = {
    late: [started('t-1'), { type: 'approval.requested' as const, approval }],
    decided: [ended('t-1')],
  }

  test('is denied at once, with the reason it was asked for', async () => {
    const { asked } = await run(script)
    const note = 'nobody is there to answer in this scripted run, and no rule allows it: it deletes'
    expect(asked).toEqual([
      ['approval/decide', { conversationId, approvalId: 'a-1', decision: 'denied', note, unattended: true }],
    ])
  })

  test('that someone else answered first is left alone', async () => {
    const refusal = new RpcError(-32005, 'already answered', { code: 'approvalNotPending' })
    const { end, asked } = await run({ ...script, refusal })
    expect(end).toMatchObject({ outcome: 'completed', answer: null })
    expect(asked).toHaveLength(1)
  })
})
