import { unreachedExits } from '@parley/client/named-servers'

/** Exit codes of scripted mode and of every command. */
export const exitCodes = {
  ok: 0,
  turnFailed: 1,
  usage: 2,
  noCredentials: 3,
  approvalUnanswered: 4,
  notFound: 5,
  answerUnfit: 6,
  budget: 7,
  provider: 8,
  storage: 9,
  /** Verdict `ask` of `policy test`. */
  asks: 10,
  /** Verdict of `exec review`: it has a finding of the severity or a graver one. */
  findings: 10,
  denied: 11,
  /** Verdict of `replay`: the log and its replay differ. */
  differs: 11,
  wouldChange: 12,
  /** A check of `exec --check` does not pass, or was denied. */
  checks: 13,
  internal: 70,
  sigint: 130,
  sigterm: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const byCode: Readonly<Record<string, ExitCode>> = {
  ...unreachedExits,
  usage: exitCodes.usage,
  invalidInput: exitCodes.usage,
  invalidParams: exitCodes.usage,
  configInvalid: exitCodes.usage,
  aboveCeiling: exitCodes.usage,
  cwdMissing: exitCodes.usage,
  badCursor: exitCodes.usage,
  badBundle: exitCodes.usage,
  badBaseUrl: exitCodes.usage,
  recordingUnreadable: exitCodes.usage,
  messageTooLarge: exitCodes.usage,
  noCredentials: exitCodes.noCredentials,
  unknownProvider: exitCodes.noCredentials,
  auth: exitCodes.noCredentials,
  conversationNotFound: exitCodes.notFound,
  ambiguousConversation: exitCodes.notFound,
  itemNotFound: exitCodes.notFound,
  approvalUnanswered: exitCodes.approvalUnanswered,
  answerUnfit: exitCodes.answerUnfit,
  checksFailed: exitCodes.checks,
  checkDenied: exitCodes.checks,
  timeout: exitCodes.budget,
  maxTurns: exitCodes.budget,
  maxTokens: exitCodes.budget,
  maxCost: exitCodes.budget,
  unreachable: exitCodes.provider,
  environmentUnreachable: exitCodes.provider,
  connectTimeout: exitCodes.provider,
  connectionReset: exitCodes.provider,
  tls: exitCodes.provider,
  streamCut: exitCodes.provider,
  idleTimeout: exitCodes.provider,
  malformedStream: exitCodes.provider,
  overloaded: exitCodes.provider,
  rateLimited: exitCodes.provider,
  providerError: exitCodes.provider,
  storageFailed: exitCodes.storage,
  fileFailed: exitCodes.storage,
  outputFailed: exitCodes.storage,
  readOnly: exitCodes.storage,
  liveElsewhere: exitCodes.storage,
  internal: exitCodes.internal,
  connectionClosed: exitCodes.internal,
  serverFailed: exitCodes.internal,
  protocolVersion: exitCodes.internal,
}

/** Returns the exit code for an error of the catalogue, or for a turn's failure. */
export function exitCodeOf(code: string): ExitCode {
  return Object.hasOwn(byCode, code) ? (byCode[code] ?? exitCodes.turnFailed) : exitCodes.turnFailed
}

/** Exit codes by weight: the first that applies is used. */
const precedence: readonly ExitCode[] = [
  exitCodes.sigint,
  exitCodes.sigterm,
  exitCodes.storage,
  exitCodes.budget,
  exitCodes.checks,
  exitCodes.approvalUnanswered,
  exitCodes.answerUnfit,
  exitCodes.provider,
]

/** Returns the code of the most important failure; codes without a weight count in the given order. */
export function weightiest(codes: readonly ExitCode[]): ExitCode {
  const named = precedence.find((code) => codes.includes(code))
  return named ?? codes.find((code) => code !== exitCodes.turnFailed) ?? codes[0] ?? exitCodes.ok
}

/** An expected end of the program: a sentence for the user, and the exit code. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  /** Stable code, from the same set as codes of failed turns. */
  readonly code: string
  readonly exitCode: ExitCode

  constructor(code: string, exitCode: ExitCode, message: string) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

export function misused(message: string): ParleyError {
  return new ParleyError('usage', exitCodes.usage, message)
}
