export { type Client, type Connect, connectClient, type Introduction } from './connection/client.ts'
export { resumeConversation } from './connection/resume-conversation.ts'
export { type ConversationStore, openConversationStore } from './conversation/conversation-store.ts'
export { type ReachedConversation, reachConversation } from './conversation/reach-conversation.ts'
