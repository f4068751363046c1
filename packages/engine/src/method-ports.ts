import type { Files } from '@parley/journal'
import type { McpServers } from '@parley/mcp-client'
import type { MethodName, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { CheckupPorts } from './checkup/check-up.ts'
import type { TryPorts } from './hooks/try-hooks.ts'
import type { Logins } from './login/logins.ts'
import type { LogEvent } from './metrics/event-log.ts'
import type { ConversationHost } from './open/conversation-host.ts'
import type { Users } from './people/users.ts'
import type { TextSearch } from './ports/text-search.ts'
import type { TrustPorts } from './project/trust.ts'
import type { TeamCopies } from './read/team-copies.ts'

/** Methods that a frontend answers for one connection: its handshake, its streams, and diagnostics. */
type ConnectionMethod =
  | 'initialize'
  | 'conversation/stream'
  | 'conversation/unstream'
  | 'web/open'
  | 'conversation/detach'
  | 'server/diagnostics'

type Method<Name extends MethodName> = (params: ParamsOf<Name>) => ResultOf<Name> | Promise<ResultOf<Name>>

/** Methods of the protocol that the engine answers, for one client; a missing one does not compile. */
export type EngineMethods = { readonly [Name in Exclude<MethodName, ConnectionMethod>]: Method<Name> }

/** Users of a server, and where they are served. */
interface PeoplePorts {
  /** Users of the server; null where every client may do everything. */
  readonly users: Users | null
  /** Returns the origin at which browsers find the page of a server with users; null for no page. */
  readonly page: () => string | null
  /** Takes the events of the log; undefined where no log is written. */
  readonly logEvent: LogEvent | undefined
}

export interface MethodPorts {
  readonly host: ConversationHost
  readonly files: Files
  readonly search: TextSearch
  /** Copies of what other servers have written; null where there is no store. */
  readonly copies: TeamCopies | null
  readonly mcpServers: McpServers
  readonly redaction: Redaction
  /** Name and version of this program. */
  readonly program: string
  readonly policy: Omit<CheckupPorts, 'redaction'>
  readonly trust: TrustPorts
  readonly people: PeoplePorts
  readonly hookPorts: () => Promise<TryPorts>
  /** Loads the code of logins with the first one. */
  readonly logins: () => Promise<Logins>
}
