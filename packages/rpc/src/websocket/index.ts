export { type ConnectWebSocketOptions, connectWebSocket } from './connect-websocket.ts'
export {
  carriesToken,
  type ListenWebSocketOptions,
  listenWebSocket,
  type WebSocketListener,
} from './listen-websocket.ts'
export {
  createWebSocketTransport,
  type WebSocketLimits,
  type WebSocketTransportOptions,
} from './websocket-transport.ts'
