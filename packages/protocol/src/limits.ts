const mebibyte = 1024 * 1024

/** Bytes of the longest line of a log, its LF not counted. All limits of content follow from it. */
const logLine = 16 * mebibyte

/**
 * Limits in bytes of UTF-8; of JSON, unless noted. A log line fits in its notification and page, a snapshot in a reply;
 * larger content becomes a side file or is refused.
 */
export const limits = {
  logLine,
  /** Longest line of a log that is read: earlier versions wrote longer ones. */
  readLine: 4 * logLine,
  /** Longest line between two processes. `packages/rpc`, which does not depend on this package, has the same limit. */
  wireLine: 2 * logLine,
  /** The part of a state without its finished items. */
  core: logLine,
  /** Further bytes of a core for small events, so that open work can always go on and end. */
  coreReserve: logLine / 4,
  /** A state as clients get it; the items that do not fit are read from the log. */
  state: (3 * logLine) / 2,
  /** Items or events in one reply. */
  page: logLine / 2,
  /** All messages that wait. */
  inbox: logLine / 2,
  /** Texts of one message together, as UTF-8. */
  message: logLine,
  /** Parts of a message that stand in its line, up to three times; longer texts become side files. */
  inline: logLine / 16,
  /** Text and calls of one response of a model, which its line holds twice. */
  response: logLine / 4,
  /** JSON Schema of an answer; it is logged with its turn and sent with every model request of the turn. */
  outputSchema: logLine / 64,
} as const
