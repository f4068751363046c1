import { type ConversationState, type Cursor, chainDigest, type Envelope, initialState, reduce } from '@parley/protocol'
import { type CloseReason, connectSocket, createPeer, type Incoming, type Peer, type Transport } from '@parley/rpc'

/** States by seq, as the first follower had them; a later one that differs is a fault. */
export interface Witness {
  readonly digests: Map<number, string>
  readonly faults: string[]
}

export function createWitness(): Witness {
  return { digests: new Map(), faults: [] }
}

/** Digests of open items, which stay the same while other things happen: an open answer may have a megabyte. */
const digestsOfOpen = new WeakMap<object, string>()

/** Digest of a state and of the line that led to it. */
export function digestOf({ core }: ConversationState, crc: string | null | undefined): string {
  const { open, ...rest } = core
  const digest = digestsOfOpen.get(open) ?? chainDigest('', open)
  digestsOfOpen.set(open, digest)
  return chainDigest(`${crc ?? ''} ${digest}`, rest)
}

/** Tests if an event after a crash names exactly the numbers from `fromSeq` to its own as lost. */
function isSaidLost({ seq, event }: Envelope, fromSeq: number): boolean {
  if (event.type !== 'conversation.recovered') return false
  return event.lost.some((range) => range.fromSeq === fromSeq && range.toSeq === seq - 1)
}

type Start = 'cursor' | 'nothing' | 'lostTail'

/** Client that joins, leaves and stalls, and reports each gap, repeat and state that others do not have. */
export interface Follower {
  readonly seq: number
  join(path: string, start: Start): Promise<void>
  leave(how: 'close' | 'unstream'): Promise<void>
  /** Stops reading, so that the connection fills up. */
  stall(): void
  goOn(): void
  /** Resolves when it has the event with this number. */
  reached(seq: number): Promise<void>
}

export function createFollower(name: string, conversationId: string, witness: Witness): Follower {
  let state = initialState(conversationId)
  let cursor: Cursor = { seq: 0, crc: null }
  let peer: Peer | null = null
  let early: Envelope[] | null = []
  let gate = Promise.resolve()
  let open = () => {}
  let reached = Promise.withResolvers<void>()

  function attest(what: string): void {
    const { seq, crc } = cursor
    const digest = digestOf(state, crc)
    const known = witness.digests.get(seq)
    if (known === undefined) witness.digests.set(seq, digest)
    else if (known !== digest) witness.faults.push(`${name}: ${what} ${seq} gives another state than others have`)
    reached.resolve()
    reached = Promise.withResolvers()
  }

  function take(envelope: Envelope): void {
    if (early !== null) {
      early.push(envelope)
      return
    }
    const { seq, crc = null } = envelope
    const follows = seq === cursor.seq + 1 || isSaidLost(envelope, cursor.seq + 1)
    if (!follows) witness.faults.push(`${name}: event ${seq} came after ${cursor.seq}`)
    state = reduce(state, envelope)
    cursor = { seq, crc }
    attest('event')
  }

  function begin(reply: { cursor: Cursor; state?: ConversationState | undefined; reset?: true | undefined }): void {
    if (reply.state !== undefined) {
      state = reply.state
      cursor = reply.cursor
      attest('snapshot')
    } else if (reply.cursor.seq !== cursor.seq) witness.faults.push(`${name}: was taken up at ${reply.cursor.seq}`)
    const waiting = early ?? []
    early = null
    for (const envelope of waiting) take(envelope)
  }

  /** A lost tail must be noticed, any other cursor must be found. */
  function expectReset(start: Start, reset: boolean): void {
    if (reset !== (start === 'lostTail')) witness.faults.push(`${name}: joined with ${start}, reset is ${reset}`)
  }

  return {
    get seq() {
      return cursor.seq
    },
    async join(path, start) {
      open()
      await peer?.close()
      early = []
      const known = start === 'nothing' || cursor.seq === 0 ? undefined : cursor
      const after = start === 'lostTail' && known !== undefined ? { ...known, crc: '00000000' } : known
      const transport = await connectSocket(path)
      const joined = createPeer({
        transport: gated(transport, () => gate),
        methods: {},
        notifications: {
          'conversation/event': (params) => {
            if (joined === peer) take(params as Envelope)
          },
        },
      })
      peer = joined
      const clientInfo = { name, version: '1' }
      await joined.request('initialize', { protocolVersion: { min: 2, max: 2 }, clientInfo })
      joined.notify('initialized')
      const params = after === undefined ? { conversationId } : { conversationId, after }
      const reply = (await joined.request('conversation/stream', params)) as Parameters<typeof begin>[0]
      expectReset(after === undefined ? 'nothing' : start, reply.reset === true)
      begin(reply)
    },
    async leave(how) {
      open()
      if (how === 'unstream') await peer?.request('conversation/unstream', { conversationId }).catch(() => undefined)
      await peer?.close()
      peer = null
    },
    stall() {
      const { promise, resolve } = Promise.withResolvers<void>()
      open()
      gate = promise
      open = resolve
    },
    goOn: () => open(),
    async reached(seq) {
      while (cursor.seq < seq) await reached.promise
    },
  }
}

/** Pulls nothing while the gate is closed. */
function gated(transport: Transport, gate: () => Promise<void>): Transport {
  async function* incoming(): AsyncGenerator<Incoming, CloseReason, undefined> {
    const lines = transport.incoming[Symbol.asyncIterator]()
    for (;;) {
      await gate()
      const step = await lines.next()
      if (step.done === true) return step.value
      yield step.value
    }
  }
  return {
    incoming: incoming(),
    send: (line) => transport.send(line),
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    closed: transport.closed,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
