export { carriesToken } from './bearer.ts'
export { type ConnectWebSocketOptions, connectWebSocket } from './connect-websocket.ts'
export { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './listen-websocket.ts'
export {
  createWebSocketTransport,
  type WebSocketLimits,
  type WebSocketTransportOptions,
} from './websocket-transport.ts'
