export { serveAppServer } from './serve-app-server.ts'
export type { AppServerParts } from './session.ts'
