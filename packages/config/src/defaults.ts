/** Values of keys of `config.toml` that no layer sets. A test keeps their literals out of all other sources. */
export const configDefaults = {
  approval_policy: 'on-request',
  sandbox_mode: 'workspace-write',
  /** Share of the context window, in percent, at which a conversation is compacted. */
  model_auto_compact_percent: 80,
  /** Period of retries for an unreachable provider. A conversation that only scripts use does not retry. */
  network_patience: '10m',
  cli_auth_credentials_store: 'auto',
  /** Wire of a provider of the user. Its retries and time limits are `providerDefaults` of `packages/models`. */
  wire_api: 'chat',
} as const

/** Values of the keys of `[mcp_servers.X]`; times in seconds. */
export const mcpServerDefaults = { startup_timeout_sec: 10, tool_timeout_sec: 60 } as const

/** Copies of each conversation in a store, if the store has at least so many servers; else 1. */
export const storeReplicas = 3

/** Time limit of a hook in seconds. */
export const hookTimeoutDefault = 60

/** Limits that no key of `config.toml` sets. Arguments of a call may set some of them. */
export const limitDefaults = {
  /** Bytes of output of one command or tool that the model receives. */
  modelOutputBytes: 16 * 1024,
  /** Time limit of a command in the foreground. */
  commandTimeoutMs: 120_000,
  /** Time limit of a check, which may be all tests of a project. */
  checkTimeoutMs: 1_800_000,
  /** Newest lines of a background command that one look shows. */
  processLines: 50,
  /** Time that one look at a background command waits for output. */
  processWaitS: 30,
  /** Lines of a file that one look-up reads. */
  readLines: 2000,
  /** Matches that a search shows. */
  searchMatches: 200,
  /** Time limit of a search. */
  searchTimeMs: 20_000,
  /** Levels and entries of a folder that a listing shows. */
  listLevels: 2,
  listEntries: 300,
} as const
