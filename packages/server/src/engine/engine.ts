import type { Config } from '@parley/config'
import type { Files } from '@parley/journal'
import { createMcpServers, type McpPatience, usualPatience } from '@parley/mcp-client'
import { createProjects, createUserRules } from '@parley/policy'
import type { ConversationId, Overrides, ResultOf, Settings } from '@parley/protocol'
import { createEnvironments, type LocalParts, localEnvironment } from '@parley/workspace'
import type { Ids } from '../ports/ids.ts'
import {
  type ConnectedClients,
  createConnectedClients,
  describeFault,
  diagnose,
  noticeOf,
  type ServerIdentity,
} from './diagnostics.ts'
import { type Ceiling, type CeilingFlags, ceilingOf, defaultCeilingFlags } from './limits/ceiling.ts'
import { assertNoSecretFolder } from './limits/workspace-folders.ts'
import { type EngineMethods, methodsFor } from './methods.ts'
import { ConversationHost, type Guest } from './open/conversation-host.ts'
import { createSetup, type SetupPorts } from './open/open-conversation.ts'
import { assertOverridesAllowed, readConfig } from './settings/read-config.ts'

/**
 * Engine of one server process. Frontends translate their protocols to its methods and keep no state of conversations.
 */
export interface Engine extends AsyncDisposable {
  readonly host: ConversationHost
  readonly identity: ServerIdentity
  newClientId(): string
  readonly connectedClients: ConnectedClients
  /** Announces the addresses of this server beside every lock it holds, so that other processes can join. */
  listensAt(addresses: Addresses): void
  report(fault: unknown, conversationId?: ConversationId): void
  /** Returns the highest limits this server allows, read now from its command line and the user's own files. */
  readonly ceiling: () => Ceiling
  /** Throws `aboveCeiling` for overrides that ask for more than this server allows. */
  assertAllowed(overrides: Overrides, now: Settings): void
  /** Rejects with `aboveCeiling` for folders of this machine where secrets are kept and that this server is not for. */
  assertFolders(folders: readonly string[]): Promise<void>
  /** Returns the methods of the protocol that the engine answers. The client is also the guest who joins and leaves. */
  methodsFor(client: Guest): EngineMethods
  diagnose(): Promise<Omit<ResultOf<'server/diagnostics'>, 'ignoredMessages'>>
  readonly home: string
}

/** Addresses that a server listens on. */
interface Addresses {
  /** Socket that other processes find the owner of a conversation by. */
  readonly socket: string | null
  readonly others: readonly string[]
}

export interface EngineParts
  extends Omit<SetupPorts, 'places' | 'mcpServers' | 'userRules' | 'projects' | 'ceiling' | 'notify'>,
    LocalParts {
  /** Time to wait for a lost link to an environment, in ms; default 30 s. */
  readonly linkPatienceMs?: number
  readonly identity: ServerIdentity
  readonly files: Files
  readonly ids: Ids
  readonly mcpPatience?: McpPatience
  /** Flags of the command line that set the ceiling; default: the default ceiling. */
  readonly ceiling?: CeilingFlags
  /** Writes to the server's own log file. */
  readonly writeLog: (line: string) => void
}

export function createEngine(parts: EngineParts): Engine {
  const { home } = parts
  const connectedClients = createConnectedClients()
  let addresses: readonly string[] = []
  const report = (fault: unknown, conversationId?: ConversationId) => {
    parts.writeLog(describeFault(fault))
    if (conversationId === undefined) return
    connectedClients.notifyAll({ ...noticeOf(fault), conversationId })
  }
  const { version } = parts.identity.serverInfo
  const mcpServers = createMcpServers({ ...parts, version, patience: parts.mcpPatience ?? usualPatience })
  const userRules = createUserRules(parts.home)
  const projects = createProjects(parts)
  const ceiling = () => ceilingOf(parts.ceiling ?? defaultCeilingFlags, ownConfig(parts))
  const places = createEnvironments({ ...parts, local: localEnvironment(parts) })
  const host = new ConversationHost({
    files: parts.files,
    home: parts.home,
    ids: parts.ids,
    setup: createSetup({
      ...parts,
      ceiling,
      places,
      projects,
      mcpServers,
      userRules,
      report,
      notify: connectedClients.notifyAll,
    }),
    report,
  })
  const { files, redaction } = parts
  const policy = { ...parts, places, projects, userRules }
  const methodPorts = { host, files, mcpServers, redaction, policy, trust: { ...parts, projects } }
  return {
    host,
    identity: parts.identity,
    home,
    newClientId: () => parts.ids.client(),
    connectedClients,
    listensAt({ socket, others }) {
      addresses = [...(socket === null ? [] : [socket]), ...others]
      host.announce(socket)
    },
    report,
    ceiling,
    assertFolders: async (folders) => assertNoSecretFolder(folders, { home, ceiling, secrets: await parts.secrets() }),
    assertAllowed: (overrides, now) => assertOverridesAllowed(overrides, now, { home, ceiling }),
    methodsFor: (client) => methodsFor(client, methodPorts),
    async diagnose() {
      const { enforcement, reason } = await parts.sandboxes.report()
      const found = {
        enforcement,
        enforcementReason: reason,
        addresses: [...addresses],
        clients: connectedClients.describe(),
      }
      return { ...diagnose(host, parts), ...found }
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]().finally(() => places[Symbol.asyncDispose]()),
  }
}

/** Returns the user's own configuration with the profile this server was started with. */
function ownConfig({ home, ceiling }: EngineParts): Config {
  const profile = ceiling?.profile ?? null
  return readConfig(home, profile === null ? {} : { profile }).values
}
