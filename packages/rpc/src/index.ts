export { certificateFault } from '@parley/text'
export { ConnectionClosedError, errorCodes, invalidParams, type PeerFault, RpcError } from './peer/errors.ts'
export type { CallContext, MethodHandler } from './peer/incoming-requests.ts'
export { notificationLine } from './peer/message.ts'
export { createPeer, type Peer, type PeerOptions } from './peer/peer.ts'
export { validityFault } from './transport/certificates.ts'
export { isInTheClear, pageSocketOf, relayAddress, serverAddress } from './transport/server-address.ts'
export { createMemoryTransportPair, createStreamTransport, type StreamLimits } from './transport/stream-transport.ts'
export {
  answerLimits,
  type CloseReason,
  ConnectError,
  defaultMaxLineBytes,
  type Incoming,
  ListenError,
  type Listener,
  type Transport,
  type UnreadableReason,
  withIncoming,
} from './transport/transport.ts'
export { connectSocket, listenSocket } from './transport/unix-socket.ts'
