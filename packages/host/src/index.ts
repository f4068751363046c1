export type { OutputStream, ProcessInput, TerminalSize } from './channels/channels.ts'
export { gitFoldersInTmp } from './git/folders-read-by-git.ts'
export { startsItsWords } from './git/git-commands.ts'
export { commonFolderTarget, gitFileTarget, gitFoldersOf } from './git/git-folder.ts'
export { type Host, openHost } from './host.ts'
export {
  captureOutput,
  type FilteredOutput,
  filterOutput,
  type OutputFilter,
  type OutputListener,
} from './output/captured-output.ts'
export type { OutputSlice, OutputSnapshot } from './output/output-window.ts'
export type { SpoolEnd, SpoolSpec } from './output/spool.ts'
export { autoRunNote } from './paths/auto-run-names.ts'
export { type GuardKind, guardKinds, guardText } from './paths/guarded-names.ts'
export type { GuardSurroundings } from './paths/guarded-paths.ts'
export { hardLinkedOutside } from './paths/hard-links.ts'
export { type AsideContent, type Exchanged, type MovedAside, readAside } from './paths/move-aside.ts'
export { findAndWatchRepositories } from './paths/new-repositories.ts'
export { type StartedProgram, startedByProgram } from './paths/own-programs.ts'
export {
  type Guard,
  guardByName,
  openPathStandings,
  type PathStanding,
  rootOf,
} from './paths/path-standing.ts'
export { exchangedFolderText, type FoldersNow, pinFolders } from './paths/pinned-folders.ts'
export { hasAbandonedNotes, sweepReserved } from './paths/reserved-names.ts'
export {
  type BackgroundPorts,
  type BackgroundProcess,
  type BackgroundProcesses,
  createBackgroundProcesses,
} from './run/background-processes.ts'
export type { CommandEnd, CommandSpec, EndReason, RunningCommand, StartOptions } from './run/command.ts'
export {
  exitCodeOf,
  type ProcessExit,
  type ProcessOptions,
  type ProcessSpec,
  type RunningProcess,
} from './run/spawn-process.ts'
export type { StreamedProcess, StreamedProcessSpec } from './run/spawn-streams.ts'
export { createStopLadder, type StopCause, type StopLadder, type StopReason } from './run/stop-ladder.ts'
export { openSandboxes } from './sandbox/probe/open-sandboxes.ts'
export type { SandboxesOptions } from './sandbox/probe/search.ts'
export {
  type Enforcement,
  isWeaker,
  type Loopback,
  noSandbox,
  noSandboxes,
  type Sandbox,
  type SandboxedCommand,
  type Sandboxes,
  type SandboxLimits,
  type SandboxReport,
  type WrappedCommand,
} from './sandbox/sandbox.ts'
export { closeInheritedDescriptors } from './system/descriptor-shield.ts'
export { namesIn } from './system/list-folder.ts'
export {
  appendUnlocked,
  LockedFileError,
  markLocked,
  openUnlocked,
  openUnlockedHandle,
  readUnlocked,
  withUnlocked,
} from './system/locked-files.ts'
export {
  createMark,
  isOwnerAlive,
  type MarkOwner,
  markVariable,
  parseMark,
  sweepMarked,
  sweepOrphans,
} from './system/marks.ts'
export { abandonedFolders, makeOwnFolder, readableTmp } from './system/own-leftovers.ts'
export { fileStamp, NotPrivateError, readPrivateFile } from './system/private-file.ts'
export { findProgram, ownNode } from './system/programs.ts'
export { DanglingLinkError, readIfExists, settledStamp } from './system/read-if-exists.ts'
export {
  foldersUp,
  followLinks,
  foreignOwner,
  identityOf,
  identityOfStat,
  isWithin,
  listedNames,
  outermostFolders,
  realOrGiven,
  realPathIfExists,
  realPathsAmong,
} from './system/real-path.ts'
export { secretPlaces, secretVariables, systemSecretPlaces } from './system/secret-places.ts'
export { isSignalExitCode } from './system/signals.ts'
export type { SpawnError } from './system/spawn-failure.ts'
export { type AwakeTimeout, awakeTimeout } from './time/awake-timeout.ts'
export { createInOrder, type InOrder } from './time/in-order.ts'
export { limitConcurrency } from './time/limit-concurrency.ts'
export { localDay } from './time/local-day.ts'
export { type TimeSlices, timeSlices } from './time/time-slices.ts'
export { commandEnv, type EnvRules, type HeldVariable, heldVariables } from './variables/command-env.ts'
export { programsReading, toolchainVariables } from './variables/toolchain-variables.ts'
