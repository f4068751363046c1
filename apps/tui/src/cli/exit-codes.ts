/** The exit table of the scripted mode; every command keeps to it. */
export const exitCodes = {
  ok: 0,
  turnFailed: 1,
  usage: 2,
  noCredentials: 3,
  approvalUnanswered: 4,
  notFound: 5,
  budget: 7,
  provider: 8,
  storage: 9,
  internal: 70,
  sigint: 130,
  sigterm: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const byCode: Readonly<Record<string, ExitCode>> = {
  invalidParams: exitCodes.usage,
  configInvalid: exitCodes.usage,
  cwdMissing: exitCodes.usage,
  badCursor: exitCodes.usage,
  noCredentials: exitCodes.noCredentials,
  unknownProvider: exitCodes.noCredentials,
  auth: exitCodes.noCredentials,
  conversationNotFound: exitCodes.notFound,
  ambiguousConversation: exitCodes.notFound,
  storageFailed: exitCodes.storage,
  readOnly: exitCodes.storage,
  liveElsewhere: exitCodes.storage,
  unreachable: exitCodes.provider,
  connectTimeout: exitCodes.provider,
  connectionReset: exitCodes.provider,
  streamCut: exitCodes.provider,
  idleTimeout: exitCodes.provider,
  malformedStream: exitCodes.provider,
  overloaded: exitCodes.provider,
  rateLimited: exitCodes.provider,
  providerError: exitCodes.provider,
  internal: exitCodes.internal,
  timeout: exitCodes.budget,
}

/** The exit code of an error from the catalogue or a turn's failure. */
export function exitCodeOf(code: string): ExitCode {
  return byCode[code] ?? exitCodes.turnFailed
}
