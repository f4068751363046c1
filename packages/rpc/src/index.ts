export type { CallContext } from './peer/call.ts'
export type { NotificationHandler } from './peer/dispatch.ts'
export {
  ConnectionClosedError,
  errorCodes,
  internalError,
  invalidParams,
  invalidRequest,
  RpcError,
  type RpcErrorData,
} from './peer/errors.ts'
export type { FaultCode, PeerFault } from './peer/faults.ts'
export type { MethodHandler } from './peer/incoming-requests.ts'
export { notificationLine } from './peer/message.ts'
export type { RequestOptions } from './peer/outgoing-requests.ts'
export { createPeer, type Peer, type PeerLimits, type PeerOptions } from './peer/peer.ts'
export { decodeLine } from './transport/decode-line.ts'
export { ConnectError, type ConnectErrorReason, ListenError, type Listener } from './transport/failures.ts'
export {
  createMemoryTransportPair,
  createStreamTransport,
  type StreamLimits,
  type StreamTransportOptions,
} from './transport/stream-transport.ts'
export type { CloseReason, Incoming, Transport, Unreadable, UnreadableReason } from './transport/transport.ts'
export { connectSocket, type ListenSocketOptions, listenSocket } from './transport/unix-socket.ts'
