import type { Envelope, MethodName, ParamsOf, ResultOf, ServerNotice } from '@parley/protocol'
import { protocolVersions } from '@parley/protocol'
import { type CloseReason, createPeer, type Transport } from '@parley/rpc'
import { isEnvelope } from './envelope.ts'

export interface ClientInfo {
  readonly name: string
  readonly version: string
}

export interface ClientOptions {
  readonly transport: Transport
  readonly clientInfo: ClientInfo
  /** This client can answer approvals. */
  readonly canApprove: boolean
  readonly onNotice?: (notice: ServerNotice) => void
}

/** One connection to a parley server, handshake done: typed requests and the events of every streamed conversation. */
export interface Client extends AsyncDisposable {
  readonly server: ResultOf<'initialize'>
  /** Rejects with an `RpcError` whose `data.code` is in the protocol's catalogue, or when the connection closes. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>
  /** Calls back for each event of one conversation, in order; returns how to stop. */
  onEvent(conversationId: string, listener: (envelope: Envelope) => void): () => void
  /** Settles when the server is gone, after every pending request was rejected. */
  readonly closed: Promise<CloseReason>
  close(): Promise<void>
}

export async function connectClient({ transport, clientInfo, canApprove, onNotice }: ClientOptions): Promise<Client> {
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
  const server = await request('initialize', {
    protocolVersion: protocolVersions,
    clientInfo: { ...clientInfo },
    capabilities: canApprove ? ['approvals'] : [],
  })
  peer.notify('initialized')
  return {
    server,
    request,
    onEvent(conversationId, listener) {
      const known = listeners.get(conversationId) ?? new Set()
      listeners.set(conversationId, known.add(listener))
      return () => known.delete(listener)
    },
    closed: peer.closed,
    close: () => peer.close(),
    [Symbol.asyncDispose]: () => peer.close(),
  }
}
