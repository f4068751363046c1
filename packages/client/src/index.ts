export { type Client, type ClientInfo, type ClientOptions, connectClient } from './client.ts'
export { type ConversationStore, openConversationStore } from './conversation-store.ts'
export { type SpawnedServer, type SpawnServerOptions, spawnServer } from './spawn-server.ts'
