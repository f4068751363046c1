export type { CallContext } from './call.ts'
export { ConnectError, type ConnectErrorReason } from './connect-failed.ts'
export { decodeLine } from './decode-line.ts'
export {
  ConnectionClosedError,
  errorCodes,
  internalError,
  invalidParams,
  invalidRequest,
  RpcError,
  type RpcErrorData,
} from './errors.ts'
export type { FaultCode, PeerFault } from './fault-ledger.ts'
export type { MethodHandler } from './inbound.ts'
export { type Listener, ListenError } from './listener.ts'
export { createMemoryTransportPair } from './memory-transport.ts'
export { notificationLine } from './message-line.ts'
export type { RequestOptions } from './outbound.ts'
export { createPeer, type Peer, type PeerLimits, type PeerOptions } from './peer.ts'
export type { NotificationHandler } from './receiver.ts'
export { connectSocket } from './socket/connect-socket.ts'
export { type ListenSocketOptions, listenSocket } from './socket/listen-socket.ts'
export { createStreamTransport, type StreamLimits, type StreamTransportOptions } from './stream-transport.ts'
export type { CloseReason, Incoming, Transport, Unreadable, UnreadableReason } from './transport.ts'
