export { type Client, type ClientInfo, type ClientOptions, connectClient } from './client.ts'
export { type ConversationStore, openConversationStore, type StoreListener } from './conversation-store.ts'
export { type ServerExit, type SpawnedServer, type SpawnServerOptions, spawnServer } from './spawn-server.ts'
