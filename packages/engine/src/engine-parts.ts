import type { CredentialStore, KeptLogins } from '@parley/credentials'
import type { Files } from '@parley/journal'
import type { McpPatience } from '@parley/mcp-client'
import type { CeilingFlags } from '@parley/policy'
import type { LocalParts } from '@parley/workspace'
import type { CheckpointLimits } from './conversation/checkpoint-writer.ts'
import type { LogEvent } from './metrics/event-log.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { SetupPorts } from './open/open-conversation.ts'
import type { Users } from './people/users.ts'
import type { EditorTexts } from './ports/editor.ts'
import type { SharedStore } from './ports/shared-store.ts'
import type { TextSearch } from './ports/text-search.ts'

/** Identity that a server reports in its handshake. */
export interface ServerIdentity {
  readonly serverInfo: { readonly name: string; readonly version: string; readonly build: string }
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Set for a server that was started with `--safe`. */
  readonly isSafe?: true
}

/** Models, and the logins and keys for them and for MCP servers. */
export interface ProviderParts extends Pick<SetupPorts, 'models'> {
  readonly credentials: CredentialStore
  readonly keys: KeptLogins
  /** Sends the requests of logins and to MCP servers. */
  readonly fetch: typeof fetch
}

/** Times and sizes that differ from the defaults. */
export interface EngineTimes {
  /** Time to wait for a lost link to an environment, in ms; default 30 s. */
  readonly linkPatienceMs?: number
  /** Time after the start to wait for machines that connect by themselves, in ms; default 10 s. */
  readonly machinesComeMs?: number
  readonly mcpPatience?: McpPatience
  /** Sizes and times of checkpoints; default: `checkpointLimits`. */
  readonly checkpoints?: Omit<CheckpointLimits, 'key'>
}

/** Parts of a server process that its engine is made of. */
export interface EngineParts extends Pick<SetupPorts, 'clock' | 'ids' | 'random' | 'shellParser' | 'redaction'> {
  readonly identity: ServerIdentity
  readonly machine: LocalParts
  readonly providers: ProviderParts
  readonly files: Files
  readonly search: TextSearch
  /** Writes to the server's own log file. */
  readonly writeLog: (line: string) => void
  readonly times?: EngineTimes
}

/** Returns the name and version of a program, as logs and servers of a team hold it. */
export function programOf({ serverInfo: { name, version } }: ServerIdentity): string {
  return `${name}/${version}`
}

/** Ports and limits that a program chooses for its engine. */
export interface EngineChoices {
  /** Flags of the command line that set the ceiling; default: the default ceiling. */
  readonly ceiling?: CeilingFlags | undefined
  /** Users of the server; absent where every client may do everything. */
  readonly users?: Users | undefined
  /** Store that servers share; absent where conversations are on this machine only. */
  readonly store?: SharedStore | undefined
  /** Counters of events; absent without `--metrics`. */
  readonly metrics?: Metrics | undefined
  /** Writes the events of `--log-format json`; absent without that flag. */
  readonly logEvent?: LogEvent | undefined
  /** Texts that editors of clients hold; absent where no client is an editor. */
  readonly editors?: EditorTexts | undefined
}
