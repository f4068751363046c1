export { bundledProgram } from './bundled-program.ts'
export { cutBytes, everyOffset } from './cut-bytes.ts'
export { lossesOf } from './disk/choose-losses.ts'
export type { DiskRecording } from './disk/disk-operation.ts'
export { type DiskCall, interceptDisk } from './disk/intercept-disk.ts'
export { treeAfter } from './disk/lose-power.ts'
export { recordDisk } from './disk/record-disk.ts'
export { describeTree, writeTree } from './disk/tree-files.ts'
export { hasFullSandbox, noFullSandbox, withoutSandboxLine } from './faults/full-sandbox.ts'
export { environmentWithFailure, failedCall, type NthCall } from './faults/nth-call.ts'
export { canRefuseCalls, commandWithout, noLocks, type RefusedCall } from './faults/refused-call.ts'
export { type Relay, startRelay } from './faults/relay.ts'
export { smallDisk } from './faults/small-disk.ts'
export { smallGif, smallPng } from './images/small-images.ts'
export { loopbackCertificate, type ModelServer, startModelServer } from './model-server.ts'
export { freePorts, hasNats, type NatsServers, startNats } from './nats-servers.ts'
export {
  cleanEnvironment,
  commandOf,
  descendantsWithMark,
  type EnvVariables,
  isAlive,
  killMarked,
  markVariable,
  newMark,
} from './processes.ts'
export { type Pty, type PtyOptions, startPty } from './pty.ts'
export {
  type RepositoryShape,
  repositoryShapes,
  type ShapedRepository,
  shapedRepository,
} from './repositories/repository-shapes.ts'
export { type CliOptions, type CliResult, type CliRun, cliPath, runCli, startCli, startProgram } from './run-cli.ts'
export { secretCorpus } from './secret-corpus.ts'
export { providerRules, refusalOf } from './strict/refuse-request.ts'
export {
  restoreSandboxCache,
  saveSandboxCache,
  type TempDirectory,
  type TempHome,
  tempDirectory,
  tempHome,
  tempWorkspace,
} from './temp.ts'
export { expectTranscript, recordTranscript, type TranscriptEntry } from './transcript.ts'
export { virtualScreen } from './virtual-screen.ts'
export { waitUntil } from './wait-until.ts'
export { anthropicFrames } from './wires/anthropic-wire.ts'
export { chatFrames } from './wires/chat-wire.ts'
export { geminiFrames } from './wires/gemini-wire.ts'
export { createMessagesCache, createPrefixCache, type PromptCache } from './wires/prompt-cache.ts'
export { responsesFrames } from './wires/responses-wire.ts'
export type { AnswerStep, RecordedRequest, ScriptedCall, ScriptedStep, Wire } from './wires/scripted-step.ts'
