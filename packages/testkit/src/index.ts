export { anthropicFrames } from './anthropic-wire.ts'
export { chatFrames } from './chat-wire.ts'
export { cutBytes, everyOffset } from './cut-bytes.ts'
export { geminiFrames } from './gemini-wire.ts'
export { type ModelServer, startModelServer } from './model-server.ts'
export {
  cleanEnvironment,
  commandOf,
  descendantsWithMark,
  type Environment,
  isAlive,
  killMarked,
  markVariable,
  newMark,
} from './processes.ts'
export { type Pty, startPty } from './pty.ts'
export { responsesFrames } from './responses-wire.ts'
export { type CliOptions, type CliResult, type CliRun, cliPath, runCli, startCli, startProgram } from './run-cli.ts'
export type { AnswerStep, RecordedRequest, ScriptedCall, Step, Wire } from './scripted-step.ts'
export { secretCorpus } from './secret-corpus.ts'
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
