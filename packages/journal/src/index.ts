export { importSession } from './bundle/import-session.ts'
export type { BundleManifest } from './bundle/manifest.ts'
export { BundleError, openBundle } from './bundle/read-bundle.ts'
export { writeBundle } from './bundle/write-bundle.ts'
export {
  createFile,
  createUnnamed,
  makeFolders,
  readFile,
  readSpan,
  removeQuietly,
  replaceFile,
  replaceSynced,
  writeAll,
} from './disk/file-io.ts'
export {
  type Files,
  hasCode,
  LOG_CHANGED,
  LOG_DELETED,
  LOG_FOREIGN,
  LOG_LINKED,
  LOG_MOVED,
  LOG_REPLACED,
  type OpenFile,
  STORE_FULL,
  STORE_GONE,
  STORE_LOST,
  STORE_OLDER,
  STORE_PARTED,
  STORE_SLOW,
  STORE_TAKEN,
  StorageError,
  storageError,
  troubleOf,
} from './disk/files.ts'
export { nodeFiles } from './disk/node-files.ts'
export {
  idOfOwnerName,
  isConversationId,
  newestDays,
  type SessionFile,
  type SessionPaths,
  scratchFolder,
  sessionPaths,
  tornPath,
  walkSessions,
} from './disk/session-paths.ts'
export { adoptSideFile, linkSideFiles, putSideFile, readSideFile, sideFileRefsIn } from './disk/side-files.ts'
export { makeSyncedFile, replaceSyncedFile } from './disk/synced-files.ts'
export {
  decodeLine,
  encodeLine,
  envelopeText,
  type Line,
  LineTooLongError,
  type LoggedEnvelope,
  MAX_WRITTEN_LINE_BYTES,
  translatedLine,
  withChecksum,
  writtenBytes,
} from './line/line.ts'
export { checkLine } from './line/read-lines.ts'
export { type Checkpoint, readCheckpoint, writeCheckpoint } from './log/checkpoint.ts'
export { copyLog } from './log/copy-log.ts'
export type { LossReports } from './log/damage.ts'
export { EventLog } from './log/event-log.ts'
export { slowSyncMs } from './log/grouped-sync.ts'
export {
  decodeHeader,
  encodeHeader,
  forkHeader,
  formatOf,
  LOG_FORMAT,
  type LogHeader,
  newHeader,
} from './log/header.ts'
export type { LogMark } from './log/log-mark.ts'
export { newerLogText, openLog, type WritableLog } from './log/open-log.ts'
export { newestLine, readBack } from './log/read-back.ts'
export { type LogLine, LogView, lineCrc, lineOf, textOf } from './log/read-log.ts'
export { scanLog } from './log/scan-log.ts'
export { keepTornPiece } from './log/torn-piece.ts'
export { writeLines, writeWholeLog } from './log/whole-log.ts'
export type { FoundLog } from './search/find-logs.ts'
export type { SearchedTexts } from './search/indexed-logs.ts'
export { findWord, type SearchWord, searchWords } from './search/search-words.ts'
export { openTextIndex, searchIndexPath, type TextIndex } from './search/text-index.ts'
export { deleteSession, finishDeletions, removeSession, UnfinishedDeletionError } from './sessions/delete-session.ts'
export { findId, idsWith } from './sessions/find-id.ts'
export { type ListedSession, type ListingRows, type LogExcerpt, listSessions } from './sessions/session-index.ts'
export { sweepUnfinished } from './sessions/sweep-unfinished.ts'
export { watchSessions } from './sessions/watch-sessions.ts'
export { isRunning, type Owner, readOwner, thisProcess, WriterLock } from './sessions/writer-lock.ts'
