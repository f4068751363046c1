import type { RightsOfToken } from '@parley/protocol'
import type { ConnectedMachines } from '@parley/workspace'
import type { Addresses } from './addresses.ts'
import { type ClientAccess, clientAccess } from './client-access/client-access.ts'
import { type ConnectedClients, createConnectedClients } from './connected-clients.ts'
import { createDiagnostics, type Diagnostics } from './diagnostics.ts'
import { editorServersOf } from './editor/editor-servers-of.ts'
import { type EngineChoices, type EngineParts, programOf, type ServerIdentity } from './engine-parts.ts'
import type { ReportFault } from './faults.ts'
import type { Guest } from './limits/may-loosen.ts'
import { loginsWhenNeeded } from './login/logins-when-needed.ts'
import type { EngineMethods } from './method-ports.ts'
import { methodsFor } from './methods.ts'
import type { ConversationHost } from './open/conversation-host.ts'
import { openConversationHost } from './open-conversation-host.ts'
import { type CheckRight, createRightCheck } from './people/check-right.ts'
import type { EditorServers } from './ports/editor.ts'
import { createTeamCopies } from './read/team-copies.ts'
import { createServerLimits, type ServerLimits } from './server-limits.ts'
import { askableProviders } from './settings/provider-list.ts'

/**
 * Engine of one server process. Frontends translate their protocols to its methods and keep no state of conversations.
 */
export interface Engine extends AsyncDisposable {
  readonly host: ConversationHost
  readonly identity: ServerIdentity
  readonly connectedClients: ConnectedClients
  /**
   * Announces the addresses of this server, or the changed ones, beside every lock, so that other processes can join.
   */
  listensAt(addresses: Partial<Addresses>): void
  readonly report: ReportFault
  readonly limits: ServerLimits
  /** Machines of exec-servers that connect to this server. */
  readonly machines: ConnectedMachines
  readonly clientAccess: ClientAccess
  /** Tool servers that editors hand over. */
  readonly editorServers: EditorServers
  readonly rights: RequestRights
  /** Returns the methods of the protocol for one client, who joins and leaves conversations by them. */
  methodsFor(client: Guest): EngineMethods
  readonly diagnostics: Diagnostics
}

/** Checks of requests and tokens. */
interface RequestRights {
  /** Checks each request of a client, before it is answered. */
  readonly check: CheckRight
  /** Returns the rights that a token gives; null where the server has no users. */
  readonly ofToken: RightsOfToken | null
}

export function createEngine(parts: EngineParts, choices: EngineChoices = {}): Engine {
  const { machine, files, clock, redaction, search, identity: ownIdentity } = parts
  const { home, sandboxes, secrets } = machine
  const { store, users, logEvent, ceiling: ceilingFlags } = choices
  const identity = ceilingFlags?.isSafe === true ? { ...ownIdentity, isSafe: true as const } : ownIdentity
  let at: Addresses = { socket: null, others: [] }
  const connectedClients = createConnectedClients(parts.ids.client)
  const opened = openConversationHost(parts, choices, {
    clients: connectedClients,
    announced: () => at.announced ?? null,
  })
  const { host, policy, mcpServers, allowedServers, machines, ceiling, report } = opened
  const { environments, projects, userRules } = policy
  const methodPorts = {
    host,
    files,
    search,
    copies: store === undefined ? null : createTeamCopies(host.storedPaths.bind(host)),
    mcpServers,
    redaction,
    program: programOf(identity),
    policy,
    trust: { home, clock, projects, environments, sandboxes },
    people: { users: users ?? null, page: () => at.page ?? null, logEvent },
    hookPorts: async () => ({
      place: { ...policy, ceiling, redaction, secrets: await secrets() },
      clock,
      processes: machine.host,
    }),
    logins: loginsWhenNeeded(parts, {
      announce: connectedClients.announceLogin,
      restart: mcpServers.restart,
      report,
    }),
  }
  return {
    host,
    identity,
    connectedClients,
    listensAt(addresses) {
      at = { ...at, ...addresses }
      host.announce(at.socket)
      store?.servers.announce({ address: at.announced ?? null, page: at.page ?? null }, () =>
        askableProviders({ home, env: machine.env, keys: parts.providers.keys }),
      )
    },
    report,
    limits: createServerLimits({ home, ceiling, secrets }),
    machines,
    clientAccess: clientAccess({ secrets, redaction, host: machine.host }, { ...policy, ceiling }),
    editorServers: editorServersOf(
      { home, files, ceiling: ceilingFlags, sandboxes, redaction, clock },
      { host, allowedServers, report },
    ),
    rights: { check: createRightCheck(host), ofToken: users?.rightsIn(host, () => clock.now()) ?? null },
    methodsFor: (client) => methodsFor(client, methodPorts),
    diagnostics: createDiagnostics({
      host,
      clients: connectedClients,
      identity,
      addresses: () => at,
      sandboxes,
      userRules,
      isShared: store !== undefined,
    }),
    [Symbol.asyncDispose]: () => closeAll(host, environments, search),
  }
}

/** Closes the conversations, then the environments and the search. */
async function closeAll(host: ConversationHost, ...used: readonly AsyncDisposable[]): Promise<void> {
  try {
    await host[Symbol.asyncDispose]()
  } finally {
    await Promise.all(used.map((one) => one[Symbol.asyncDispose]()))
  }
}
