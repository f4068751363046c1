export {
  type BackgroundPorts,
  type BackgroundProcess,
  type BackgroundProcesses,
  createBackgroundProcesses,
} from './background.ts'
export type {
  CommandEnd,
  CommandSpec,
  EndReason,
  OutputSnapshot,
  RunningCommand,
  SpawnError,
  SpoolEnd,
  SpoolSpec,
  StartOptions,
  StopReason,
} from './command.ts'
export { closeInheritedDescriptors } from './descriptor-shield.ts'
export { commandEnvironment, type EnvironmentRules } from './environment.ts'
export { type Host, openHost } from './host.ts'
export { createLateSpool, type LateSpool } from './late-spool.ts'
export {
  appendUnlocked,
  LockedFile,
  markLocked,
  openUnlocked,
  openUnlockedHandle,
  readUnlocked,
} from './locked-files.ts'
export { createMark, type MarkOwner, markVariable, parseMark } from './mark.ts'
export { type FilteredOutput, filterOutput, type OutputFilter } from './output-filter.ts'
export type { OutputSlice } from './output-slice.ts'
export { createOutputWindow, type OutputWindow } from './output-window.ts'
export type {
  OutputStream,
  ProcessExit,
  ProcessOptions,
  ProcessSpec,
  RunningProcess,
  TerminalSize,
} from './process.ts'
export type { ProgramEnd, ProgramSpec, RunningProgram } from './program.ts'
export { DanglingLink, readIfThere } from './read-if-there.ts'
export type { GuardSurroundings } from './sandbox/guarded/find-guarded.ts'
export { followLinks } from './sandbox/guarded/follow-links.ts'
export { type Guard, guardByName, guardFor } from './sandbox/guarded/guard.ts'
export { type GuardKind, guardKinds, guardText } from './sandbox/guarded/guard-kinds.ts'
export type { SandboxLimits } from './sandbox/limits.ts'
export { openSandboxes, type SandboxesOptions } from './sandbox/open-sandboxes.ts'
export { noSandbox, type Sandbox, type SandboxedCommand, type WrappedCommand } from './sandbox/sandbox.ts'
export { isWeaker, noSandboxes, type Sandboxes, type SandboxReport, type SandboxTier } from './sandbox/sandboxes.ts'
export { saysKilled } from './says-killed.ts'
export { createStopLadder, type StopLadder } from './stop-ladder.ts'
export { isOwnerAlive, sweepMarked, sweepOrphans } from './sweep.ts'
