import {
  type ClientsChanged,
  type ConversationId,
  type Envelope,
  type LoginCompleted,
  type MethodName,
  type ParamsOf,
  protocolVersions,
  type ResultOf,
  type ServerNotice,
} from '@parley/protocol'
import { type CloseReason, createPeer, type Transport } from '@parley/rpc'
import type { SharedAccess } from './reach-server.ts'

/** Functions that the connections of a client call. */
export interface ClientCallbacks {
  /** Called with trouble that belongs to no conversation, such as a full disk. */
  readonly onNotice?: (notice: ServerNotice) => void
  /** Called when an attempt to log in has ended, of any client of the server. */
  readonly onLoginCompleted?: (end: LoginCompleted) => void
  /**
   * Checks the result of each request, and throws if it does not fit the protocol. Default: no check, so that no schema
   * library is loaded.
   */
  readonly checkResult?: CheckResult
}

/** Properties of a client that are the same on every connection: its statements in the handshake, and its callbacks. */
export interface Introduction {
  /** `title`: name shown to people. */
  readonly clientInfo: { readonly name: string; readonly title?: string; readonly version: string }
  /** True if the client can answer approvals. */
  readonly canApprove: boolean
  /** True if the client shows a reached limit and lets its user go on. Default: false. */
  readonly canRaiseLimits?: boolean
  /** `readOnly`: the server rejects every change. Default: `full`. */
  readonly access?: 'full' | 'readOnly'
  /** False if the client only makes the limits of conversations stricter. Default: true. */
  readonly mayLoosen?: boolean
  /** Means of reaching the server, for a websocket: other servers of the same store are reached by the same means. */
  readonly reach?: SharedAccess
  readonly callbacks?: ClientCallbacks
}

/** Returns the introduction of a client that only watches. */
export function watcher(introduction: Introduction): Introduction {
  return { ...introduction, canApprove: false, canRaiseLimits: false, access: 'readOnly' }
}

/** Opens a connection in the native protocol, as a frontend does to the server of its own process. */
export type Connect = (who: Introduction) => Promise<Client>

/** Checks the result of a request against the schemas of the protocol. Throws if it does not fit. */
export type CheckResult = (method: MethodName, result: unknown) => void

/** A connection to a parley server after the handshake: typed requests, and the events of streamed conversations. */
export interface Client extends AsyncDisposable {
  readonly server: ResultOf<'initialize'>
  /** True for a server that was started with `--safe`. */
  readonly isSafe: boolean
  readonly introduction: Introduction
  /** Sends a request. Rejects with an `RpcError` with a code of the protocol's catalogue, `connectionClosed` included. */
  request<Name extends MethodName>(method: Name, params: ParamsOf<Name>): Promise<ResultOf<Name>>
  /** Calls the listener for each event of one conversation, in order. Returns the function that removes it. */
  onEvent(conversationId: ConversationId, listener: (envelope: Envelope) => void): () => void
  /** Calls the listener when a list that was requested with `follow` may have changed. Returns the function that removes it. */
  onListChanged(listener: () => void): () => void
  /** Calls the listener with the number of clients of one conversation. Returns the function that removes it. */
  onClients(conversationId: ConversationId, listener: (clients: number) => void): () => void
  /** Calls the listener, with a sentence, when the right to read one conversation is gone. Returns the function that removes it. */
  onAccessEnded(conversationId: ConversationId, listener: (message: string) => void): () => void
  /** Returns true if a listener for this conversation is registered. */
  follows(conversationId: ConversationId): boolean
  /** Resolves when the connection is closed, after every pending request was rejected. */
  readonly closed: Promise<CloseReason>
  close(): Promise<void>
}

/** Does the handshake. Closes the transport and rejects if the server rejects it. */
export async function connectClient(options: Introduction & { readonly transport: Transport }): Promise<Client> {
  const { transport, ...introduction } = options
  const { onNotice, onLoginCompleted, checkResult } = introduction.callbacks ?? {}
  const eventListeners = new Map<ConversationId, Set<(envelope: Envelope) => void>>()
  const countListeners = new Map<ConversationId, Set<(clients: number) => void>>()
  const accessListeners = new Map<ConversationId, Set<(message: string) => void>>()
  const listListeners = new Set<() => void>()
  const peer = createPeer({
    transport,
    methods: {},
    notifications: {
      'conversation/listChanged': () => {
        for (const listener of listListeners) listener()
      },
      'conversation/event': (params) => {
        if (!isEnvelope(params)) return
        for (const listener of eventListeners.get(params.conversationId) ?? []) listener(params)
      },
      'conversation/clientsChanged': (params) => {
        if (!isClientsChanged(params)) return
        for (const listener of countListeners.get(params.conversationId) ?? []) listener(params.clients)
      },
      'server/notice': (params) => {
        if (!isNotice(params)) return
        const { code, conversationId, message } = params
        if (code === 'accessEnded' && conversationId !== undefined)
          for (const listener of accessListeners.get(conversationId) ?? []) listener(message)
        onNotice?.(params)
      },
      'login/completed': (params) => {
        if (isLoginCompleted(params)) onLoginCompleted?.(params)
      },
    },
  })
  const request = async <Name extends MethodName>(method: Name, params: ParamsOf<Name>) => {
    const result = await peer.request(method, params)
    checkResult?.(method, result)
    return result as ResultOf<Name> // narrowed: the protocol types the result, and `checkResult` proves it in tests
  }
  const server = await request('initialize', greetingOf(introduction)).catch(async (error: unknown) => {
    await peer.close()
    throw error
  })
  peer.notify('initialized')
  return {
    server,
    isSafe: server.capabilities.includes('safe'),
    introduction,
    request,
    onEvent: (conversationId, listener) => listen(eventListeners, conversationId, listener),
    onListChanged(listener) {
      listListeners.add(listener)
      return () => listListeners.delete(listener)
    },
    onClients: (conversationId, listener) => listen(countListeners, conversationId, listener),
    onAccessEnded: (conversationId, listener) => listen(accessListeners, conversationId, listener),
    follows: (conversationId) => (eventListeners.get(conversationId)?.size ?? 0) > 0,
    closed: peer.closed,
    close: () => peer.close(),
    [Symbol.asyncDispose]: () => peer.close(),
  }
}

function listen<Listener>(
  listeners: Map<ConversationId, Set<Listener>>,
  conversationId: ConversationId,
  listener: Listener,
): () => void {
  const known = listeners.get(conversationId) ?? new Set()
  listeners.set(conversationId, known.add(listener))
  return () => known.delete(listener)
}

function greetingOf(introduction: Introduction): ParamsOf<'initialize'> {
  const { clientInfo, canApprove, canRaiseLimits = false, access, mayLoosen } = introduction
  return {
    protocolVersion: protocolVersions,
    clientInfo: { ...clientInfo },
    capabilities: [...(canApprove ? ['approvals'] : []), ...(canRaiseLimits ? ['limits'] : [])],
    ...(access === undefined ? {} : { access }),
    ...(mayLoosen === undefined ? {} : { mayLoosen }),
  }
}

/** Checks level, code and message: a program shows them and decides by them. */
function isNotice(value: unknown): value is ServerNotice {
  if (typeof value !== 'object' || value === null) return false
  if (!('level' in value && 'code' in value && 'message' in value)) return false
  const { level, code, message } = value
  const isKnown = level === 'info' || level === 'warning' || level === 'error'
  return isKnown && typeof code === 'string' && typeof message === 'string'
}

function isClientsChanged(value: unknown): value is ClientsChanged {
  if (typeof value !== 'object' || value === null) return false
  return 'conversationId' in value && 'clients' in value && typeof value.clients === 'number'
}

/** Checks the fields that a program decides by. */
function isLoginCompleted(value: unknown): value is LoginCompleted {
  if (typeof value !== 'object' || value === null) return false
  return 'loginId' in value && typeof value.loginId === 'string' && 'success' in value && 'error' in value
}

/** Checks only the envelope, so that newer kinds of events pass. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  if (!('conversationId' in value && 'seq' in value && 'at' in value && 'event' in value)) return false
  const { conversationId, seq, at, event } = value
  const hasType = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string'
  return typeof conversationId === 'string' && typeof seq === 'number' && typeof at === 'number' && hasType
}
