export { EventLog } from './log/event-log.ts'
export type { Files } from './disk/files.ts'
export { findId, idsWith } from './sessions/find-id.ts'
export { makeFolders, replaceFile } from './disk/file-io.ts'
export { decodeHeader, encodeHeader, forkHeader, formatOf, LOG_FORMAT, type LogHeader, newHeader } from './log/header.ts'
export { checkLine, decodeLine, encodeLine, type LoggedEnvelope } from './line/check-line.ts'
export { LineTooLong, MAX_WRITTEN_LINE_BYTES, writtenBytes, envelopeText, notificationLine } from './line/encode-line.ts'
export { WriterLock, isRunning, type Owner, readOwner, thisProcess } from './writer-lock.ts'
export { LogView, type LogLine, lineCrc, textOf } from './log/read-log.ts'
export { nodeFiles } from './disk/node-files.ts'
export { newerLogText, openLog, type WritableLog } from './log/open-log.ts'
export type { LossReports } from './log/scan-log.ts'
export { seal } from './line/checksum.ts'
export { type ListedSession, type LogExcerpt, listSessions, type Rows } from './sessions/session-index.ts'
export { isConversationId, type SessionPaths, scratchFolder, sessionPaths, tornPath, walkSessions } from './disk/session-paths.ts'
export { adoptSideFile, linkSideFiles, putSideFile, readSideFile } from './side-files.ts'
export {
  LOG_CHANGED,
  LOG_DELETED,
  LOG_MOVED,
  LOG_REPLACED,
  StorageError,
  storageError,
  troubleOf,
} from './disk/storage-error.ts'
