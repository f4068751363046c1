export {
  type Client,
  type ClientOptions,
  connectClient,
  type Introduction,
} from './connection/client.ts'
export {
  joinConversation,
  type Owner,
  requestWhereItLives,
  resumeConversation,
} from './connection/resume-conversation.ts'
export { type ConversationStore, openConversationStore, type StoreListener } from './conversation/conversation-store.ts'
export { clientOf } from './parley.ts'
export { type Leaving, leaveServer } from './server/leave-server.ts'
