export { endOnDefect, keepStdoutForProtocol, movedTo, runProgram, sweepLater } from './conventions.ts'
export { decodeParams } from './decode-params.ts'
export {
  type Address,
  absolutePath,
  ceilingOptions,
  type HostAndPort,
  parseFlags,
  parseWords,
  readAddress,
  readAdvertised,
  readCeiling,
  readDuration,
  readHttpAddress,
  readPlainAddress,
  readServerFlags,
  readServers,
  serverOptions,
  type TlsPaths,
  UsageError,
} from './flags.ts'
export { homeFolder, makeHomePrivate, openServerLog, stateFolder, userPlaces } from './home-folder.ts'
export { type Listeners, listenOn, openListeners, readAuthorities, readPem } from './listen.ts'
export { machinePath } from './machine-door.ts'
export { isPrivate } from './page-origins.ts'
export { listenInRunFolder, ownRunFolders } from './run-folder.ts'
export { turnAway } from './turn-away.ts'
