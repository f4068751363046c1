export { serveAppServer } from './serve-app-server.ts'
export type { AppServerParts } from './threads/session.ts'
