import {
  type Envelope,
  type MethodName,
  type ParamsOf,
  protocolVersions,
  type ResultOf,
  type ServerNotice,
} from '@parley/protocol'
import { type CloseReason, createPeer, type Transport } from '@parley/rpc'

export interface ClientInfo {
  readonly name: string
  /** What people are shown as its name. */
  readonly title?: string
  readonly version: string
}

/** How a client presents itself, to a server and to the owner of a conversation that lives elsewhere. */
export interface Introduction {
  readonly clientInfo: ClientInfo
  /** This client can answer approvals. */
  readonly canApprove: boolean
  /** `readOnly`: nothing can be changed, whatever goes wrong here. Default `full`. */
  readonly access?: 'full' | 'readOnly'
  readonly onNotice?: (notice: ServerNotice) => void
}

export interface ClientOptions extends Introduction {
  readonly transport: Transport
}

/** One connection to a parley server, handshake done: typed requests and the events of every streamed conversation. */
export interface Client extends AsyncDisposable {
  readonly server: ResultOf<'initialize'>
  readonly introduction: Introduction
  /** Rejects with an `RpcError` whose `data.code` is in the protocol's catalogue, or when the connection closes. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>
  /** Calls back for each event of one conversation, in order; returns how to stop. */
  onEvent(conversationId: string, listener: (envelope: Envelope) => void): () => void
  /** Whether anybody here listens to this conversation. */
  follows(conversationId: string): boolean
  /** Settles when the server is gone, after every pending request was rejected. */
  readonly closed: Promise<CloseReason>
  close(): Promise<void>
}

/** Does the handshake; a server that refuses it is hung up on. */
export async function connectClient({ transport, ...introduction }: ClientOptions): Promise<Client> {
  const { onNotice } = introduction
  const listeners = new Map<string, Set<(envelope: Envelope) => void>>()
  const deliver = (params: unknown) => {
    if (!isEnvelope(params)) return
    for (const listener of listeners.get(params.conversationId) ?? []) listener(params)
  }
  const peer = createPeer({
    transport,
    methods: {},
    notifications: {
      'conversation/event': deliver,
      'server/notice': (params) => onNotice?.(params as ServerNotice), // narrowed: the server's own notice
    },
  })
  const request = async <Name extends MethodName>(method: Name, params: ParamsOf<Name>) =>
    (await peer.request(method, params)) as ResultOf<Name> // narrowed: client-side schemas are loose, the protocol types the result
  const server = await request('initialize', greetingOf(introduction)).catch(async (error: unknown) => {
    await peer.close()
    throw error
  })
  peer.notify('initialized')
  return {
    server,
    introduction,
    request,
    onEvent(conversationId, listener) {
      const known = listeners.get(conversationId) ?? new Set()
      listeners.set(conversationId, known.add(listener))
      return () => known.delete(listener)
    },
    follows: (conversationId) => (listeners.get(conversationId)?.size ?? 0) > 0,
    closed: peer.closed,
    close: () => peer.close(),
    [Symbol.asyncDispose]: () => peer.close(),
  }
}

function greetingOf({ clientInfo, canApprove, access }: Introduction): ParamsOf<'initialize'> {
  return {
    protocolVersion: protocolVersions,
    clientInfo: { ...clientInfo },
    capabilities: canApprove ? ['approvals'] : [],
    ...(access === undefined ? {} : { access }),
  }
}

/** Loose on purpose: an event or item of a kind this client does not know is an envelope all the same. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  if (!('conversationId' in value && 'seq' in value && 'at' in value && 'event' in value)) return false
  const { conversationId, seq, at, event } = value
  const hasType = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string'
  return typeof conversationId === 'string' && typeof seq === 'number' && typeof at === 'number' && hasType
}
