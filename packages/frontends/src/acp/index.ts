export { offeredTexts } from './offered-texts.ts'
export { serveAcp } from './serve-acp.ts'
