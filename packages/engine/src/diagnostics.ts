import { inspect } from 'node:util'
import { StorageError } from '@parley/journal'
import { type UserRules, widerRules } from '@parley/policy'
import type {
  ConnectedClient,
  ConversationId,
  LoginCompleted,
  ResultOf,
  ServerNotice,
  UserName,
} from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Guest } from './limits/may-loosen.ts'
import { summaryOf } from './live/live-conversation.ts'
import type { ConversationHost } from './open/conversation-host.ts'
import { asRejection, storageNotice } from './replies/rejection.ts'

/** Identity that a server reports in its handshake. */
export interface ServerIdentity {
  readonly serverInfo: { readonly name: string; readonly version: string; readonly build: string }
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Set for a server that was started with `--safe`. */
  readonly isSafe?: true
}

/** Connection that server-wide notices are sent to. */
interface Connection {
  notice(notice: ServerNotice): void
  /** Sends the end of a login; does nothing for a client that may not log in. */
  loginCompleted(end: LoginCompleted): void
  /** Returns the client; null before its handshake. */
  describe(): ConnectedClient | null
}

/** Clients that are connected to this server. */
export interface ConnectedClients {
  /** Adds a connection and returns the function that removes it. */
  add(client: Connection): () => void
  notifyAll(notice: ServerNotice): void
  announceLogin(end: LoginCompleted): void
  describe(): ConnectedClient[]
  /** Returns the wanted title, with a number when another client of the same user has it. */
  distinctTitle(wanted: string, user: UserName | undefined): string
}

export function createConnectedClients(): ConnectedClients {
  const connected = new Set<Connection>()
  const describe = () => [...connected].map((client) => client.describe()).filter((client) => client !== null)
  return {
    add(client) {
      connected.add(client)
      return () => connected.delete(client)
    },
    notifyAll(notice) {
      for (const client of connected) client.notice(notice)
    },
    announceLogin(end) {
      for (const client of connected) client.loginCompleted(end)
    },
    describe,
    distinctTitle(wanted, user) {
      const ofUser = describe().filter((client) => client.user === user)
      const taken = new Set(ofUser.map(({ title }) => title))
      let title = wanted
      for (let number = 2; taken.has(title); number += 1) title = `${wanted} ${number}`
      return title
    },
  }
}

/** Describes the process and its open conversations. */
export function diagnose(
  host: ConversationHost,
  { identity, home }: { readonly identity: ServerIdentity; readonly home: string },
): Omit<
  ResultOf<'server/diagnostics'>,
  'ignoredMessages' | 'addresses' | 'clients' | 'enforcement' | 'enforcementReason'
> {
  const { version, build } = identity.serverInfo
  return {
    pid: process.pid,
    version,
    build,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    home,
    uptimeMs: Math.round(process.uptime() * 1000),
    rssBytes: process.memoryUsage.rss(),
    conversations: host.conversations.map((open) => ({
      conversationId: open.conversation.id,
      activity: summaryOf(open).activity,
      clients: open.clients.followerCount,
      detached: open.clients.detached,
      backgroundProcesses: open.processes.running(),
      ...(open.roles.act.limits.reason === null ? {} : { enforcementReason: open.roles.act.limits.reason }),
    })),
  }
}

/** State of a server, without what concerns one connection only. */
export type Diagnosis = Omit<ResultOf<'server/diagnostics'>, 'ignoredMessages'>

/** Returns what a client may know: of a user's own clients, and of conversations that it may read. */
export function diagnosisFor(
  { rights }: Pick<Guest, 'rights'>,
  all: Diagnosis,
  host: Pick<ConversationHost, 'openAccess'>,
): Diagnosis {
  const { person } = rights
  if (person.kind === 'operator') return all
  const { widerRules: _, clients, conversations, ...rest } = all
  const mayRead = (conversationId: ConversationId) =>
    rights.permits('read', { conversationId, access: host.openAccess(conversationId)?.access })
  return {
    ...rest,
    clients: clients.filter(({ user }) => person.kind === 'user' && user === person.name),
    conversations: conversations.filter(({ conversationId }) => mayRead(conversationId)),
  }
}

export function describeFault(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : inspect(fault)
}

/** Describes a fault for a notice. A full disk comes without advice to repeat a request: no client made one. */
export function noticeOf(fault: unknown): Omit<ServerNotice, 'conversationId'> {
  if (fault instanceof StorageError)
    return { level: 'error', code: 'storageFailed', ...storageNotice(fault), passing: fault.retryable }
  const known = asRejection(fault)
  if (known instanceof RpcError)
    return { level: 'error', code: String(known.data?.['code'] ?? 'internal'), message: known.message }
  const message = 'Something went wrong in parley itself; its log says more.'
  return { level: 'error', code: 'internal', message }
}

/** Describes the rules in force that reach beyond the sandbox; nothing where there are none. */
export function rulesFound({ rules }: UserRules) {
  const found = widerRules(rules)
  return found.length === 0 ? {} : { widerRules: [...found] }
}
