/** The parts of the library that need no Node, for a page in a browser. */
export { type Client, connectClient } from './connection/client.ts'
export { addressIn, codeOf, isTaken } from './connection/errors.ts'
export { type ConversationStore, openConversationStore } from './conversation/conversation-store.ts'
