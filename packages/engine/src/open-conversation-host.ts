import { type Config, startSafely } from '@parley/config'
import { watchSessions } from '@parley/journal'
import { createMcpServers, type McpServers, usualPatience } from '@parley/mcp-client'
import { type CeilingFlags, createProjects, createUserRules, defaultCeilingFlags, type Projects } from '@parley/policy'
import { eventVersion, reducerVersion } from '@parley/protocol'
import {
  type ConnectedMachines,
  createConnectedMachines,
  createEnvironments,
  type Environments,
  localEnvironment,
} from '@parley/workspace'
import type { CheckupPorts } from './checkup/check-up.ts'
import type { ConnectedClients } from './connected-clients.ts'
import { type CheckpointLimits, checkpointLimits } from './conversation/checkpoint-writer.ts'
import { type EngineChoices, type EngineParts, programOf } from './engine-parts.ts'
import { createReport, type ReportFault } from './faults.ts'
import { type AllowedServers, createAllowedServers } from './limits/allowed-servers.ts'
import { type Ceiling, ceilingOf } from './limits/ceiling.ts'
import type { LogEvent } from './metrics/event-log.ts'
import { ConversationHost } from './open/conversation-host.ts'
import { createSetup } from './open/conversation-setup.ts'
import { sharedTrust } from './project/shared-trust.ts'
import { createListFollowing } from './read/follow-list.ts'
import { readConfig } from './settings/read-config.ts'

/** Conversations of an engine, with the values that its other parts share with them. */
interface OpenedConversationHost {
  readonly host: ConversationHost
  readonly policy: Omit<CheckupPorts, 'redaction' | 'projects'> & { readonly projects: Projects }
  readonly mcpServers: McpServers
  /** Tool servers that editors hand over. */
  readonly allowedServers: AllowedServers
  /** Machines of exec-servers that connect to this server. */
  readonly machines: ConnectedMachines
  readonly ceiling: () => Ceiling
  readonly report: ReportFault
}

interface ClientReach {
  readonly clients: ConnectedClients
  /** Returns the address by which clients of a team reach this server; null for no such address. */
  readonly announced: () => string | null
}

export function openConversationHost(
  parts: EngineParts,
  choices: EngineChoices,
  { clients, announced }: ClientReach,
): OpenedConversationHost {
  const { editors, metrics, logEvent, store = null, ceiling: ceilingFlags = defaultCeilingFlags } = choices
  const { machine, files, clock, ids, random, shellParser, redaction } = parts
  const { home, env, secrets } = machine
  const { models, keys } = parts.providers
  if (ceilingFlags.isSafe === true) startSafely(home)
  const report = createReport({ writeLog: parts.writeLog, logEvent }, clients, (conversationId) =>
    host.giveUp(conversationId),
  )
  const mcpServers = openMcpServers(parts)
  const allowedServers = createAllowedServers()
  const userRules = createUserRules(home)
  const projects = createProjects({
    home,
    env,
    files,
    shared: sharedTrust({ store: choices.store, redaction, home, files }),
  })
  const ceiling = () => ceilingOf(ceilingFlags, ownConfig(home, ceilingFlags))
  const { machines, environments } = openEnvironments(parts, logEvent)
  const setup = createSetup({
    checkpoints: checkpointsOf(parts),
    program: programOf(parts.identity),
    home,
    files,
    env,
    clock,
    ids,
    random,
    shellParser,
    redaction,
    environments,
    secrets,
    models,
    keys,
    mcpServers,
    allowedServers,
    userRules,
    projects,
    ceiling,
    report,
    content: async (conversationId, hash) => (await store?.copies.content(conversationId, hash)) ?? null,
    notify: clients.notifyAll,
    announced,
    processes: machine.host,
    editors,
    metrics,
    logEvent,
  })
  const followList = createListFollowing((onChange) => watchSessions(files, home, onChange))
  const host = new ConversationHost({ files, home, followList, ids, setup, report, store, forget: parts.search.forget })
  const policy = { files, home, env, environments, shellParser, userRules, projects, models, keys }
  return { host, policy, mcpServers, allowedServers, machines, ceiling, report }
}

/** Returns the limits of checkpoints with the key of this program: another program may fold a log to another state. */
function checkpointsOf({ times: { checkpoints = checkpointLimits } = {}, identity }: EngineParts): CheckpointLimits {
  const { version, build } = identity.serverInfo
  return { ...checkpoints, key: `${version} ${build} ${reducerVersion}.${eventVersion}` }
}

/** Creates the MCP servers of this process; a server starts when a conversation needs it. */
function openMcpServers({ machine, providers, identity, redaction, times = {} }: EngineParts): McpServers {
  const { host, sandboxes, secrets, env, home } = machine
  const { keys: logins, fetch } = providers
  const { mcpPatience: patience = usualPatience } = times
  const { version } = identity.serverInfo
  return createMcpServers({ host, sandboxes, secrets, env, home, version, patience, redaction, logins, fetch })
}

/** Creates the environments: this machine, and the machines of exec-servers once a conversation takes them. */
function openEnvironments(
  { machine, times = {} }: EngineParts,
  logEvent: LogEvent | undefined,
): { machines: ConnectedMachines; environments: Environments } {
  const { home, env } = machine
  const { linkPatienceMs, machinesComeMs } = times
  const machines = createConnectedMachines(machinesComeMs, ({ owner, name }, isThere) => {
    const event = isThere ? 'machine.connected' : 'machine.disconnected'
    logEvent?.({ event, machine: name, ...(owner === null ? {} : { user: owner }) })
  })
  const patience = linkPatienceMs === undefined ? {} : { linkPatienceMs }
  return {
    machines,
    environments: createEnvironments({ local: localEnvironment(machine), home, env, machines, ...patience }),
  }
}

/** Returns the user's own configuration with the profile this server was started with. */
function ownConfig(home: string, { profile }: CeilingFlags): Config {
  return readConfig(home, profile === null ? {} : { profile }).values
}
