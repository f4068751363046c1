export { cleanEnvironment, type Environment } from './clean-environment.ts'
export { type CallCount, countCalls, failNth } from './fault-shim.ts'
export { keepSandbox, lendSandbox } from './kept-sandbox.ts'
export { keyBytes } from './keys.ts'
export { type ModelServer, startModelServer } from './model-server.ts'
export { commandOf, descendantsWithMark, isAlive, killMarked, markVariable, newMark } from './processes.ts'
export { type Pty, type PtyExit, type PtyOptions, type Seen, startPty } from './pty.ts'
export { type CliOptions, type CliResult, type CliRun, cliPath, runCli, startCli, startProgram } from './run-cli.ts'
export type {
  AnswerStep,
  Delivery,
  HangStep,
  RawStep,
  RecordedRequest,
  ReplyStep,
  ScriptedCall,
  StatusStep,
  Step,
  Usage,
  Wire,
} from './scripted-step.ts'
export { type SecretSample, secretCorpus } from './secret-corpus.ts'
export { cutBytes, everyOffset, type Playback, playBytes } from './sse-player.ts'
export type { StandIns } from './stand-ins.ts'
export {
  type TempDirectory,
  type TempHome,
  tempDirectory,
  tempHome,
  tempWorkspace,
  type WorkspaceRecipe,
} from './temp.ts'
export {
  expectTranscript,
  recordTranscript,
  type TranscriptEntry,
  type TranscriptRecorder,
  transcriptLines,
} from './transcript.ts'
export { type Clears, type ScreenSize, type VirtualScreen, virtualScreen } from './virtual-screen.ts'
export { type WaitOptions, waitUntil } from './wait-until.ts'
