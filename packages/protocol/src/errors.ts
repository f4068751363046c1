/** Exit code of a server that could not save all it had accepted (EX_IOERR). */
export const unsavedExitCode = 74
/** Exit code of a program that cannot use its home or cannot save; the last line of its stderr gives the reason. */
export const noHomeExitCode = 9
/** Exit code of a server that cannot open its store (EX_TEMPFAIL); the last line of its stderr gives the reason. */
export const noStoreExitCode = 75

/** Error codes of the protocol with their JSON-RPC numbers. Clients go by `code` in `data`; the message is for people. */
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
  badBundle: -32602,
  internal: -32603,
  messageTooLarge: -32603,
  connectionClosed: -32000,
  serverOverloaded: -32001,
  inboxFull: -32001,
  conversationNotFound: -32004,
  ambiguousConversation: -32004,
  itemNotFound: -32004,
  messageNotQueued: -32004,
  portNotReachable: -32004,
  processNotFound: -32004,
  processTakesNoInput: -32004,
  approvalNotPending: -32005,
  planChanged: -32005,
  turnMismatch: -32006,
  turnInProgress: -32006,
  notPermitted: -32007,
  messageStopped: -32007,
  aboveCeiling: -32007,
  configInvalid: -32008,
  noCredentials: -32008,
  unknownProvider: -32008,
  cwdMissing: -32008,
  environmentUnreachable: -32008,
  storageFailed: -32009,
  fileFailed: -32009,
  readOnly: -32009,
  liveElsewhere: -32010,
  noSummary: -32011,
} as const

export type WireErrorCode = keyof typeof wireErrors

/** Meaning of each code, and the further keys of its `data`. Generated into the reference. */
export const wireErrorMeanings: Readonly<Record<WireErrorCode, string>> = {
  parseError:
    'The line is not JSON, not UTF-8, longer than 32 MiB, nested deeper than 512 or holds more than 100,000 values; `reason` says which.',
  invalidRequest: 'Not a JSON-RPC 2.0 request: a batch, no `jsonrpc`, an id that is no string or integer, two ids.',
  duplicateId: 'A request with this `id` is still unanswered.',
  notInitialized: 'The first request was not `initialize`.',
  alreadyInitialized: '`initialize` was sent twice.',
  protocolVersion: 'No version in common; `server` and `client` are the two ranges.',
  methodNotFound: 'There is no such `method`.',
  invalidParams:
    'The parameters do not match the schema; `field` is the path of the first wrong one, e.g. `input[0].text`.',
  badCursor: 'The cursor does not come from `conversation/list`, or names an event that the log does not hold.',
  badBundle: 'The file is no bundle, was changed, or comes from a newer parley; the message names the part.',
  internal: 'A fault of the server; its log says more.',
  messageTooLarge: 'The answer would be longer than `maxLineBytes`.',
  noSummary: 'The model wrote no summary; nothing was copied.',
  connectionClosed: 'The connection ended before the request was done; whether it took effect is unknown.',
  serverOverloaded: 'Too many requests in flight. Nothing was done; send it again later.',
  inboxFull: 'The waiting messages would exceed `limitBytes` together. Nothing was done; send it again later.',
  conversationNotFound: 'There is no such conversation, or it is not open here; `nearest` has ids that are close.',
  ambiguousConversation: 'More than one conversation matches; `nearest` has their ids.',
  itemNotFound: 'There is no such event or side file.',
  portNotReachable:
    'Nothing listens on the port among the sandboxed commands, or they share no network here; the message says which.',
  messageNotQueued: 'The message is not in the inbox: it was sent or taken back.',
  processNotFound: 'No such command runs here, or it ended and its output is no longer kept in memory.',
  processTakesNoInput:
    'The command was started without an input, has ended it, or has not read what was typed before. Nothing was typed.',
  approvalNotPending:
    'The approval was answered or withdrawn; `decidedBy` and `decision` say by whom and how, where known.',
  planChanged: 'The files are not as they were when the rewind was planned. Nothing was changed; plan again.',
  turnMismatch: 'Another turn runs; `turnId` is its id.',
  turnInProgress: 'A turn runs, so a message cannot start one; `turnId` is its id. Send it with `queue` or `steer`.',
  notPermitted:
    'This client is read-only and the method changes something, or it may only tighten limits and this loosens them.',
  messageStopped: 'A hook stopped the message; `hook` is its name. Nothing was sent or stored.',
  aboveCeiling:
    'The request exceeds the ceiling this server was started with; `flag` is the flag of `parley server` that would allow it.',
  configInvalid: 'A configuration or policy file, or a setting, is wrong; `where` says which.',
  noCredentials: 'The provider needs a key and none is set.',
  unknownProvider: 'No provider of this name is configured.',
  cwdMissing: 'The folder to work in is not there.',
  environmentUnreachable:
    'The exec-server of `environment` does not answer, or rejects this server; the message says why.',
  storageFailed: 'The log could not be written; `errno` says why. Nothing that was shown is lost.',
  fileFailed:
    'A file other than the log could not be read or written; `path` and `errno` say which one and why. The conversation is not affected.',
  readOnly: 'The conversation is a read-only view; fork it to go on.',
  liveElsewhere:
    'Another process has the conversation open: `pid`, and `socket` or `address` (a websocket) where it can be reached.',
}

/** Further keys of `data`, so that a client can act without parsing the message. */
export interface WireErrorDetail {
  readonly nearest?: readonly string[]
  readonly pid?: number
  readonly socket?: string | null
  readonly field?: string
  readonly decidedBy?: string
  readonly decision?: string
  readonly [key: string]: unknown
}
