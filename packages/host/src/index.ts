export { type Host, openHost } from './host.ts'
export { type FilteredOutput, filterOutput, type OutputFilter } from './output/output-filter.ts'
export { createOutputWindow, type OutputSlice, type OutputWindow } from './output/output-window.ts'
export { createLateSpool, type LateSpool } from './output/spool.ts'
export {
  type BackgroundPorts,
  type BackgroundProcess,
  type BackgroundProcesses,
  createBackgroundProcesses,
} from './run/background-processes.ts'
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
} from './run/command.ts'
export type {
  OutputStream,
  ProcessExit,
  ProcessOptions,
  ProcessSpec,
  RunningProcess,
  TerminalSize,
} from './run/process.ts'
export type { ProgramEnd, ProgramSpec, RunningProgram } from './run/spawn-streams.ts'
export { createStopLadder, type StopLadder } from './run/stop-ladder.ts'
export { isOwnerAlive, sweepMarked, sweepOrphans } from './run/sweep.ts'
export type { GuardSurroundings } from './sandbox/guarded/find-guarded.ts'
export { type Guard, guardByName, guardFor } from './sandbox/guarded/guard.ts'
export { type GuardKind, guardKinds, guardText } from './sandbox/guarded/guarded-names.ts'
export { openSandboxes, type SandboxesOptions } from './sandbox/probe/open-sandboxes.ts'
export {
  noSandbox,
  type Sandbox,
  type SandboxedCommand,
  type SandboxLimits,
  type WrappedCommand,
} from './sandbox/sandbox.ts'
export { isWeaker, noSandboxes, type Sandboxes, type SandboxReport, type SandboxTier } from './sandbox/sandboxes.ts'
export { closeInheritedDescriptors } from './system/descriptor-shield.ts'
export { commandEnvironment, type EnvironmentRules } from './system/environment.ts'
export {
  appendUnlocked,
  LockedFile,
  markLocked,
  openUnlocked,
  openUnlockedHandle,
  readUnlocked,
} from './system/locked-files.ts'
export { createMark, type MarkOwner, markVariable, parseMark } from './system/marks.ts'
export { followLinks } from './system/paths.ts'
export { saysKilled } from './system/process-tree.ts'
