/** Codes that cross the wire. `code` in `data` is the contract; the number groups, the message is for people. */
export const wireErrors = {
  parseError: -32700,
  invalidRequest: -32600,
  duplicateId: -32600,
  notInitialized: -32600,
  alreadyInitialized: -32600,
  protocolVersion: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  badCursor: -32602,
  internal: -32603,
  serverOverloaded: -32001,
  conversationNotFound: -32004,
  ambiguousConversation: -32004,
  itemNotFound: -32004,
  messageNotQueued: -32004,
  approvalNotPending: -32005,
  turnMismatch: -32006,
  turnInProgress: -32006,
  aboveCeiling: -32007,
  configInvalid: -32008,
  noCredentials: -32008,
  unknownProvider: -32008,
  cwdMissing: -32008,
  storageFailed: -32009,
  readOnly: -32009,
  liveElsewhere: -32010,
} as const

export type WireErrorCode = keyof typeof wireErrors

/** Detail that travels with some codes, so that a client can act without reading the message. */
export interface WireErrorDetail {
  readonly nearest?: readonly string[]
  readonly pid?: number
  readonly socket?: string | null
  readonly field?: string
  readonly decidedBy?: string
  readonly decision?: string
  readonly [key: string]: unknown
}
