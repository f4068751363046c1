export { EventLog } from './event-log.ts'
export type { Files } from './files.ts'
export { findId, idsWith } from './find-id.ts'
export { makeFolders } from './folders.ts'
export { decodeHeader, encodeHeader, forkHeader, formatOf, LOG_FORMAT, type LogHeader, newHeader } from './header.ts'
export { checkLine, decodeLine, encodeLine, type LoggedEnvelope } from './line.ts'
export { LineTooLong, MAX_WRITTEN_LINE_BYTES, writtenBytes } from './line-limit.ts'
export { WriterLock } from './lock.ts'
export { LogView } from './log-view.ts'
export { nodeFiles } from './node-files.ts'
export { newerLogText, openLog, type WritableLog } from './open-log.ts'
export { isRunning, type Owner, readOwner, thisProcess } from './owner.ts'
export { type LogLine, lineCrc, textOf } from './read-log.ts'
export type { LossReports } from './scan-log.ts'
export { seal } from './seal.ts'
export { type ListedSession, type LogExcerpt, listSessions, type Rows } from './session-index.ts'
export { isConversationId, type SessionPaths, scratchFolder, sessionPaths, tornPath } from './session-paths.ts'
export { adoptSideFile, linkSideFiles, putSideFile, readSideFile } from './side-files.ts'
export {
  LOG_CHANGED,
  LOG_DELETED,
  LOG_MOVED,
  LOG_REPLACED,
  StorageError,
  storageError,
  troubleOf,
} from './storage-error.ts'
export { walkSessions } from './walk-sessions.ts'
export { envelopeText, notificationLine } from './wire-line.ts'
export { replaceFile } from './write-file.ts'
