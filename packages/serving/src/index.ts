export { machinePath } from './admit-machines.ts'
export { decodeParams } from './decode-params.ts'
export {
  type Address,
  absolutePath,
  ceilingOptions,
  type HostAndPort,
  parseFlags,
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
export { isPrivate } from './page-origins.ts'
export { refuseClients } from './refuse-clients.ts'
export { announceMovedSocket, listenInRunFolder, ownRunFolders } from './run-folder.ts'
export { endOnDefect, keepStdoutForProtocol, runProgram } from './run-program.ts'
export { sweepLater } from './sweep-leftovers.ts'
