import {
  type ConversationState,
  type Cursor,
  type Envelope,
  type Item,
  initialState,
  type MethodName,
  type ParamsOf,
  type ResultOf,
  reduce,
  type ServerNotice,
} from '@parley/protocol'
import { methods } from '@parley/protocol/schema'
import { createPeer, type Peer, RpcError, type Transport } from '@parley/rpc'
import { describeEvent, isQuiet } from './describe-event.ts'

/** Client that uses only the protocol's types and reducer, and checks each result against its schema. */
export interface TestClient extends AsyncDisposable {
  readonly peer: Peer
  readonly clientId: string
  readonly notices: readonly ServerNotice[]
  /** Number of `conversation/listChanged` so far. */
  readonly listChanges: number
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>
  /** Returns the error a request ends with. */
  refused<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<Refused>
  watch(conversationId: string, after?: Cursor): Promise<Watched>
  /** Resolves with the first matching notice, received earlier or later. */
  notice(fits: (notice: ServerNotice) => boolean): Promise<ServerNotice>
}

interface Refused {
  readonly number: number
  readonly code: string
  readonly message: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Streamed conversation, folded in the client. */
export interface Watched {
  readonly conversationId: string
  readonly state: ConversationState
  readonly cursor: Cursor
  readonly reset: boolean
  readonly events: readonly Envelope[]
  /** Lines that describe the events, without deltas. */
  story(): string[]
  /** Resolves when the condition holds; checked after every event. */
  until<Found>(look: (state: ConversationState, events: readonly Envelope[]) => Found): Promise<NonNullable<Found>>
  /** Resolves when the open turn, or the next one, has ended. */
  turnEnded(): Promise<void>
  /** Resolves to a pending approval. */
  approval(): Promise<ConversationState['core']['approvals'][string]>
  send(
    text: string,
    more?: Partial<ParamsOf<'conversation/sendMessage'>>,
  ): Promise<ResultOf<'conversation/sendMessage'>>
  decide(decision: ParamsOf<'approval/decide'>['decision'], note?: string): Promise<ResultOf<'approval/decide'>>
  items(): Item[]
}

/** Further fields of its handshake. */
export type Greeting = Pick<ParamsOf<'initialize'>, 'access' | 'capabilities' | 'mayLoosen'>

export async function connectTestClient(transport: Transport, name = 'test', more: Greeting = {}): Promise<TestClient> {
  const watched = new Map<string, { take(envelope: Envelope): void }>()
  const notices: ServerNotice[] = []
  const noticeWaiters = new Set<() => void>()
  let listChanges = 0
  const peer = createPeer({
    transport,
    methods: {},
    notifications: {
      'conversation/event': (params) => {
        const envelope = params as Envelope
        watched.get(envelope.conversationId)?.take(envelope)
      },
      'conversation/listChanged': () => {
        listChanges += 1
      },
      'server/notice': (params) => {
        notices.push(params as ServerNotice)
        for (const look of noticeWaiters) look()
      },
    },
  })
  const request: TestClient['request'] = async (method, params) => {
    const result = await peer.request(method, params)
    methods[method].result.parse(result)
    return result as never
  }
  const { clientId } = await request('initialize', {
    protocolVersion: { min: 2, max: 2 },
    clientInfo: { name, version: '1' },
    capabilities: ['approvals'],
    ...more,
  })
  peer.notify('initialized')

  return {
    peer,
    clientId,
    notices,
    get listChanges() {
      return listChanges
    },
    request,
    refused: (method, params) => refusalOf(request(method, params)),
    async watch(conversationId, after) {
      const watching = createWatched(conversationId, request)
      watched.set(conversationId, watching)
      const params = after === undefined ? { conversationId } : { conversationId, after }
      watching.begin(await request('conversation/stream', params))
      return watching.watched
    },
    notice: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = notices.find(fits)
          if (found === undefined) return
          noticeWaiters.delete(look)
          resolve(found)
        }
        noticeWaiters.add(look)
        look()
      }),
    [Symbol.asyncDispose]: () => peer.close(),
  }
}

async function refusalOf(answer: Promise<unknown>): Promise<Refused> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code = '', ...detail } = error.data ?? {}
    return { number: error.code, code: String(code), message: error.message, detail }
  }
  throw new Error('the request was not refused')
}

function createWatched(conversationId: string, request: TestClient['request']) {
  let state: ConversationState = initialState(conversationId)
  let cursor: Cursor = { seq: 0, crc: null }
  let reset = false
  let begun = false
  const early: Envelope[] = []
  const events: Envelope[] = []
  const looks = new Set<() => void>()

  function take(envelope: Envelope): void {
    if (!begun) {
      early.push(envelope)
      return
    }
    if (envelope.seq !== state.core.seq + 1) throw new Error(`event ${envelope.seq} came after ${state.core.seq}`)
    events.push(envelope)
    state = reduce(state, envelope)
    cursor = { seq: envelope.seq, crc: envelope.crc ?? null }
    for (const look of [...looks]) look()
  }

  const until: Watched['until'] = (find) =>
    new Promise((resolve) => {
      const look = () => {
        const found = find(state, events)
        if (found === undefined || found === null || (found as unknown) === false) return
        looks.delete(look)
        resolve(found)
      }
      looks.add(look)
      look()
    })

  /** Result of the server; its events may still be on the way. */
  let acknowledged = 0
  const acknowledge = async <Answer extends { seq: number }>(answer: Promise<Answer>): Promise<Answer> => {
    const { seq } = await answer
    acknowledged = Math.max(acknowledged, seq)
    return answer
  }

  const approval: Watched['approval'] = () =>
    until(({ core }) => Object.values(core.approvals).find((known) => known.state === 'pending'))

  const watched: Watched = {
    conversationId,
    get state() {
      return state
    },
    get cursor() {
      return cursor
    },
    get reset() {
      return reset
    },
    events,
    story: () => events.filter((envelope) => !isQuiet(envelope)).map(describeEvent),
    until,
    async turnEnded() {
      await until(({ core }) => core.seq >= acknowledged)
      const turnId = await until(({ core }) => core.turn?.id ?? core.lastTurn?.id)
      await until(({ core }) => core.turn?.id !== turnId && core.lastTurn !== null)
    },
    approval,
    send: (text, more = {}) =>
      acknowledge(request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text }], ...more })),
    async decide(decision, note) {
      const { id: approvalId } = await approval()
      const params = { conversationId, approvalId, decision }
      return acknowledge(request('approval/decide', note === undefined ? params : { ...params, note }))
    },
    items: () => state.window.map(({ item }) => item),
  }
  return {
    watched,
    take,
    begin(reply: ResultOf<'conversation/stream'>) {
      if (reply.state !== undefined) state = reply.state
      else state = { ...state, core: { ...state.core, seq: reply.cursor.seq } }
      cursor = reply.cursor
      reset = reply.reset === true
      begun = true
      for (const envelope of early.splice(0)) take(envelope)
    },
  }
}
