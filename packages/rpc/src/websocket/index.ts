export { connectWebSocket } from './connect-websocket.ts'
export { carriesToken, listenWebSocket, type WebSocketListener } from './listen-websocket.ts'
