export { type Client, connectClient, type Introduction } from './connection/client.ts'
export { resumeConversation } from './connection/resume-conversation.ts'
export { type ConversationStore, openConversationStore } from './conversation/conversation-store.ts'
