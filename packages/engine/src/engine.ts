import { type Config, startSafely } from '@parley/config'
import { type Files, hasCode, STORE_TAKEN, watchSessions } from '@parley/journal'
import { createMcpServers, type McpPatience, type McpServers, usualPatience } from '@parley/mcp-client'
import { type CeilingFlags, createProjects, createUserRules, defaultCeilingFlags } from '@parley/policy'
import {
  type ClientId,
  type ConversationId,
  eventVersion,
  type Overrides,
  type RightsOfToken,
  reducerVersion,
  type Settings,
} from '@parley/protocol'
import {
  type ConnectedMachines,
  createConnectedMachines,
  createEnvironments,
  type Environments,
  type LocalParts,
  localEnvironment,
} from '@parley/workspace'
import { type Addresses, namedAddresses } from './addresses.ts'
import { clientAccess } from './client-access/client-access.ts'
import { type CheckpointLimits, checkpointLimits } from './conversation/checkpoint-writer.ts'
import type { CredentialStore } from './credentials/credential-store.ts'
import {
  type ConnectedClients,
  createConnectedClients,
  type Diagnosis,
  describeFault,
  diagnose,
  diagnosisFor,
  noticeOf,
  rulesFound,
  type ServerIdentity,
} from './diagnostics.ts'
import { editorServersOf } from './editor/editor-servers-of.ts'
import { createListFollowing, type FollowList } from './follow-list.ts'
import { type Ceiling, ceilingOf } from './limits/ceiling.ts'
import { createHandedServers } from './limits/handed-servers.ts'
import type { Guest } from './limits/may-loosen.ts'
import { assertNoSecretFolder } from './limits/workspace-folders.ts'
import { loginsWhenNeeded } from './login/logins-when-needed.ts'
import type { KeptLogins } from './login/provider-keys.ts'
import type { EngineMethods } from './method-ports.ts'
import { methodsFor } from './methods.ts'
import { kindOfFault, type LogEvent } from './metrics/event-log.ts'
import { gaugeText, type ProcessState } from './metrics/gauges.ts'
import type { Metrics } from './metrics/metrics.ts'
import { ConversationHost } from './open/conversation-host.ts'
import { createSetup } from './open/conversation-setup.ts'
import type { SetupPorts } from './open/open-conversation.ts'
import type { CheckRight } from './people/check-right.ts'
import { peopleIn, rightsIn } from './people/rights-in.ts'
import type { Users } from './people/users.ts'
import type { StartCommand } from './ports/client-commands.ts'
import type { ClientFiles } from './ports/client-files.ts'
import type { EditorServers, EditorTexts } from './ports/editor.ts'
import type { SharedStore } from './ports/shared-store.ts'
import type { TextSearch } from './ports/text-search.ts'
import { sharedTrust } from './project/shared-trust.ts'
import { createTeamCopies } from './read/team-copies.ts'
import { askableProviders } from './settings/provider-list.ts'
import { assertOverridesAllowed, readConfig } from './settings/read-config.ts'

/**
 * Engine of one server process. Frontends translate their protocols to its methods and keep no state of conversations.
 */
export interface Engine extends AsyncDisposable {
  readonly host: ConversationHost
  readonly identity: ServerIdentity
  newClientId(): ClientId
  readonly connectedClients: ConnectedClients
  /** Announces the addresses of this server, or those that changed, beside every lock, so that other processes can join. */
  listensAt(addresses: Partial<Addresses>): void
  report(fault: unknown, conversationId?: ConversationId): void
  /** Returns the highest limits this server allows, read now from its command line and the user's own files. */
  readonly ceiling: () => Ceiling
  /** Throws `aboveCeiling` for overrides that ask for more than this server allows. */
  assertAllowed(overrides: Overrides, now: Settings): void
  /** Rejects with `aboveCeiling` for folders of this machine where secrets are kept and that this server is not for. */
  assertFolders(folders: readonly string[]): Promise<void>
  /** Machines whose exec-servers connect to this server. */
  readonly machines: ConnectedMachines
  readonly startCommand: StartCommand
  readonly clientFiles: ClientFiles
  /** Tool servers that editors hand over. */
  readonly editorServers: EditorServers
  /** Checks each request of a client, before it is answered. */
  readonly checkRight: CheckRight
  /** Returns the rights that a token gives; null where the server has no users. */
  readonly rightsOf: RightsOfToken | null
  /** Returns the methods of the protocol that the engine answers. The client is also the guest who joins and leaves. */
  methodsFor(client: Guest): EngineMethods
  readonly followList: FollowList
  /** Writes what holds at this moment as Prometheus reads it. */
  gauges(state: ProcessState): string
  /** Resolves to the state of this server, as far as the client may know it. */
  diagnose(client: Guest): Promise<Diagnosis>
  readonly home: string
}

export interface EngineParts
  extends Pick<
      SetupPorts,
      'program' | 'home' | 'env' | 'clock' | 'ids' | 'random' | 'shellParser' | 'redaction' | 'models'
    >,
    LocalParts {
  /** Time to wait for a lost link to an environment, in ms; default 30 s. */
  readonly linkPatienceMs?: number
  /** Time after the start in which machines that connect by themselves are waited for, in ms; default 10 s. */
  readonly machinesComeMs?: number
  readonly identity: ServerIdentity
  readonly credentials: CredentialStore
  readonly keys: KeptLogins
  /** Sends the requests of logins and to MCP servers. */
  readonly fetch: typeof fetch
  readonly files: Files
  /** Sizes and times of checkpoints; default: those of every server. */
  readonly checkpoints?: Omit<CheckpointLimits, 'key'>
  readonly mcpPatience?: McpPatience
  readonly search: TextSearch
  /** Writes to the server's own log file. */
  readonly writeLog: (line: string) => void
}

/** Ports and limits that a program chooses for its engine. */
export interface EngineChoices {
  /** Flags of the command line that set the ceiling; default: the default ceiling. */
  readonly ceiling?: CeilingFlags | undefined
  /** Users of the server; absent where every client may do everything. */
  readonly users?: Users | undefined
  /** Store that servers share; absent where conversations are on this machine only. */
  readonly store?: SharedStore | undefined
  /** Counters of events; absent where nobody asks for counts. */
  readonly metrics?: Metrics | undefined
  /** Writes the events of `--log-format json`; absent without that flag. */
  readonly logEvent?: LogEvent | undefined
  /** Texts that editors of clients hold; absent where no client is an editor. */
  readonly editors?: EditorTexts | undefined
}

export function createEngine(parts: EngineParts, choices: EngineChoices = {}): Engine {
  const { store, metrics, logEvent, editors } = choices
  const ceilingFlags = choices.ceiling ?? defaultCeilingFlags
  const isSafe = ceilingFlags.isSafe === true
  if (isSafe) startSafely(parts.home)
  const { program, home, env, files, clock, ids, shellParser, redaction, models, keys, sandboxes, search } = parts
  const connectedClients = createConnectedClients()
  let at: Addresses = { socket: null, others: [] }
  const report = createReport({ writeLog: parts.writeLog, logEvent }, connectedClients, (conversationId) =>
    host.giveUp(conversationId),
  )
  const mcpServers = openMcpServers(parts)
  const handed = createHandedServers()
  const userRules = createUserRules(home)
  const projects = createProjects({ home, env, files, shared: sharedTrust({ store, redaction, home, files }) })
  const ceiling = () => ceilingOf(ceilingFlags, ownConfig(home, ceilingFlags))
  const { machines, environments } = openEnvironments(parts, logEvent)
  const setup = createSetup({
    checkpoints: checkpointsOf(parts),
    ...{ program, home, files, env, clock, ids, random: parts.random },
    ...{ shellParser, redaction, environments, models, keys, secrets: parts.secrets },
    ...{ mcpServers, handed, userRules, projects, ceiling, report },
    content: async (conversationId, hash) => (await store?.content(conversationId, hash)) ?? null,
    ...{ notify: connectedClients.notifyAll, announced: () => at.announced ?? null },
    ...{ processes: parts.host, editors, metrics, logEvent },
  })
  const shared = { store: store ?? null, forget: search.forget }
  const host = new ConversationHost({ files, home, ids, setup, report, ...shared })
  const policy = { files, home, env, environments, shellParser, userRules, projects, models, keys }
  const logins = loginsWhenNeeded(parts, { connectedClients, mcpServers, report })
  const trust = { home, clock, projects, environments, sandboxes }
  const hookPorts = async () => {
    const secrets = await parts.secrets()
    return { ...policy, ceiling, clock, redaction, secrets, processes: parts.host }
  }
  const copies = store === undefined ? null : createTeamCopies(host.storedPaths.bind(host))
  const around = { host, files, search, copies, mcpServers, redaction, program, policy, trust, hookPorts, logins }
  return {
    host,
    identity: isSafe ? { ...parts.identity, isSafe } : parts.identity,
    ...{ home, machines, connectedClients, newClientId: ids.client },
    listensAt(addresses) {
      at = { ...at, ...addresses }
      host.announce(at.socket)
      store?.announce({ address: at.announced ?? null, page: at.page ?? null }, () => askableProviders(parts))
    },
    ...{ report, ceiling },
    assertFolders: async (folders) => assertNoSecretFolder(folders, { home, ceiling, secrets: await parts.secrets() }),
    assertAllowed: (overrides, now) => assertOverridesAllowed(overrides, now, { home, ceiling }),
    ...clientAccess(parts, { ...policy, ceiling }),
    editorServers: editorServersOf(
      { ...{ home, files, sandboxes, redaction, clock }, ceiling: ceilingFlags },
      { host, handed, report },
    ),
    ...rightsIn({ users: choices.users, clock }, host),
    methodsFor: (client) => methodsFor(client, { ...around, ...peopleIn(choices, () => at.page ?? null) }),
    followList: createListFollowing((onChange) => watchSessions(files, home, onChange)),
    gauges: (state) => gaugeText(gaugedOf(host, connectedClients, store), state),
    async diagnose(client) {
      const { enforcement, reason } = await sandboxes.report()
      const clients = connectedClients.describe()
      const found = { enforcement, enforcementReason: reason, addresses: namedAddresses(at), clients }
      return diagnosisFor(client, { ...diagnose(host, parts), ...found, ...rulesFound(userRules) }, host)
    },
    [Symbol.asyncDispose]: () => closeAll(host, environments, search),
  }
}

function gaugedOf({ conversations }: ConversationHost, clients: ConnectedClients, store: SharedStore | undefined) {
  return { conversations, clients: clients.describe().length, isShared: store !== undefined }
}

/** Closes the conversations, and then what they use. */
async function closeAll(host: ConversationHost, ...used: readonly AsyncDisposable[]): Promise<void> {
  try {
    await host[Symbol.asyncDispose]()
  } finally {
    await Promise.all(used.map((one) => one[Symbol.asyncDispose]()))
  }
}

/** Returns the function that tells the log and the clients of a fault. `giveUp` closes what another server has taken over. */
function createReport(
  { writeLog, logEvent }: Pick<EngineParts, 'writeLog'> & Pick<EngineChoices, 'logEvent'>,
  { notifyAll }: ConnectedClients,
  giveUp: (conversationId: ConversationId) => void,
): Engine['report'] {
  return (fault, conversationId) => {
    writeLog(describeFault(fault))
    logEvent?.({
      event: 'fault',
      ...(conversationId === undefined ? {} : { conversation: conversationId }),
      ...kindOfFault(fault),
    })
    if (conversationId === undefined) return
    notifyAll({ ...noticeOf(fault), conversationId })
    if (hasCode(fault, STORE_TAKEN)) giveUp(conversationId)
  }
}

/** Returns when checkpoints are written, and the key of this program: another one may fold a log to something else. */
function checkpointsOf({ checkpoints = checkpointLimits, identity }: EngineParts): CheckpointLimits {
  const { version, build } = identity.serverInfo
  return { ...checkpoints, key: `${version} ${build} ${reducerVersion}.${eventVersion}` }
}

/** Creates the MCP servers of this process; none runs before a conversation needs it. */
function openMcpServers(parts: EngineParts): McpServers {
  const {
    host,
    sandboxes,
    secrets,
    env,
    home,
    identity,
    mcpPatience: patience = usualPatience,
    redaction,
    keys: logins,
    fetch,
  } = parts
  const { version } = identity.serverInfo
  return createMcpServers({ host, sandboxes, secrets, env, home, version, patience, redaction, logins, fetch })
}

/** Creates the environments: this machine, and those behind exec-servers once a conversation takes them. */
function openEnvironments(
  parts: EngineParts,
  logEvent: LogEvent | undefined,
): { machines: ConnectedMachines; environments: Environments } {
  const { home, env, linkPatienceMs } = parts
  const machines = createConnectedMachines(parts.machinesComeMs, ({ owner, name }, isThere) => {
    const event = isThere ? 'machine.connected' : 'machine.disconnected'
    logEvent?.({ event, machine: name, ...(owner === null ? {} : { user: owner }) })
  })
  const patience = linkPatienceMs === undefined ? {} : { linkPatienceMs }
  return {
    machines,
    environments: createEnvironments({ local: localEnvironment(parts), home, env, machines, ...patience }),
  }
}

/** Returns the user's own configuration with the profile this server was started with. */
function ownConfig(home: string, { profile }: CeilingFlags): Config {
  return readConfig(home, profile === null ? {} : { profile }).values
}
