export { realOrGiven } from '@parley/host'
export type { Environment } from './environment/environment.ts'
export {
  createEnvironments,
  type EnvironmentRequest,
  type Environments,
  type TakenEnvironment,
  withMembers,
} from './environment/environments.ts'
export { type LocalParts, localEnvironment } from './environment/local-environment.ts'
export type { Owner } from './environment/owned-environment.ts'
export { diskFiles, isProgram } from './files/disk-files.ts'
export { type EnvironmentFiles, type FileOpening, readOpening, readOpeningBytes } from './files/environment-files.ts'
export {
  EnvironmentUnreachableError,
  PortRefusedError,
  succeeds,
  systemErrorReason,
  whenUnknown,
} from './files/errors.ts'
export { type FoundProgram, findProgram, programNotFound } from './files/find-program.ts'
export { gitFolderAt, smallText } from './files/git-folders.ts'
export { entriesOf, inFolder, openRealFile } from './files/open-real-path.ts'
export { isMasked, ownFiles, ownPrograms, type Standing, standingsHere } from './files/path-standing.ts'
export { liesWithin, realPathOf, resolveWorkspacePath } from './files/real-path.ts'
export { removeTree } from './files/remove-tree.ts'
export { currentSecrets, holdsSecrets, isSecret, type SecretPaths, secretPaths } from './files/secret-paths.ts'
export { changeTexts, diffTexts, type RecordedChange } from './history/change-texts.ts'
export { type ContentStore, openContentStore, sweepStore } from './history/content-store.ts'
export { createFileTable, type FileTable, maxWatchedFiles, maxWatchedInFolder } from './history/file-table.ts'
export { readTable, tableFile, writeTable } from './history/kept-table.ts'
export { contentNow, keepNamed } from './history/named-content.ts'
export { type CallChange, joinChanges, type PlannedRewind, planRewind } from './history/plan-rewind.ts'
export { formatBytes } from './look-up/display-text.ts'
export { listDirectory } from './look-up/list-directory.ts'
export { nearestNames } from './look-up/nearest-names.ts'
export { type ReadOutcome, readLines, readLinesOf } from './look-up/read-lines.ts'
export { searchEnvironment, searchFileNames, searchText } from './look-up/search-text.ts'
export { type ApplyOutcome, type ApplyRequest, applyPlan } from './patch/apply/apply-plan.ts'
export { comparePlan } from './patch/apply/compare-plan.ts'
export { diskPatchFiles, refusesLinks, writeNewFile } from './patch/apply/disk-patch-files.ts'
export { changesOf, contentHash, type FileState, readChanges, recordChange } from './patch/file-plan.ts'
export type { Hunk } from './patch/parse/parse-chunks.ts'
export { parsePatch } from './patch/parse/parse-patch.ts'
export type { FileStat, PatchTarget, PatchView } from './patch/patch-files.ts'
export { type JudgedPatch, type PatchQuestion, patchQuestion } from './patch/patch-question.ts'
export { failureText, successText } from './patch/patch-report.ts'
export type { FileEdit } from './patch/plan/plan-edit.ts'
export { planPatch } from './patch/plan/plan-patch.ts'
export type { PlanSurroundings } from './patch/plan/planned-files.ts'
export { settlePaths } from './patch/plan/settle-paths.ts'
export {
  type ConnectedMachines,
  createConnectedMachines,
  type MachineOffer,
  machineNamed,
} from './remote/connected-machines.ts'
export { tokenFilePath } from './remote/dial.ts'
export type { LinkChange } from './remote/link.ts'
export type { KeptCommands } from './remote/processes/kept-commands.ts'
