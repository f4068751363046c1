import { StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import * as commands from './commands/commands.ts'
import { compact, undoCompaction } from './commands/compact.ts'
import { decideApproval } from './commands/decide-approval.ts'
import { changesLimits, sendMessage } from './commands/send-message.ts'
import { restartMcpServer } from './context/conversation-mcp.ts'
import type { Guest } from './limits/may-loosen.ts'
import { type LiveConversation, writable } from './live/live-conversation.ts'
import type { EngineMethods, MethodPorts } from './method-ports.ts'
import type { ConversationHost } from './open/conversation-host.ts'
import type { Users } from './people/users.ts'
import { listEnvironments } from './project/environment-list.ts'
import { wantedConversation } from './read/list-conversations.ts'
import { rejection } from './replies/rejection.ts'
import { listModels } from './settings/model-lists.ts'
import { listProviders } from './settings/provider-list.ts'
import { describeConfig } from './settings/read-config.ts'
import { storedMethods } from './stored-methods.ts'

/** Returns the methods for one client; each call reads the client's actor and access anew. */
export function methodsFor(client: Guest, ports: MethodPorts): EngineMethods {
  return {
    ...storedMethods(client, ports),
    ...changeMethods(client, ports),
    ...serverMethods(client, ports),
    ...loginMethods(ports),
    ...peopleMethods(client, ports),
  }
}

type ServerMethod =
  | 'usage/read'
  | 'model/list'
  | 'provider/list'
  | 'provider/check'
  | 'config/read'
  | 'config/write'
  | 'mcp/list'
  | 'mcp/restart'
  | 'server/checkup'
  | 'policy/test'
  | 'policy/replay'
  | 'policy/why'
  | 'replay/run'
  | 'trust/read'
  | 'trust/decide'
  | 'skill/list'
  | 'environment/list'
  | 'hook/list'
  | 'hook/try'

/** Methods that concern the server and no open conversation. Code of rare ones is loaded on first use. */
function serverMethods(
  client: Guest,
  { host, files, copies, mcpServers, redaction, policy, trust, hookPorts }: MethodPorts,
): Pick<EngineMethods, ServerMethod> {
  const { home, env, keys } = policy
  const refreshed = <Params extends LogSource>(params: Params) =>
    copies === null ? params : refresh(params, client, host)
  return {
    'model/list': (params) => listModels(params, policy, trust.clock.now),
    'provider/list': () => listProviders({ ...policy, redaction }),
    'provider/check': async (params) =>
      (await import('./checkup/check-provider-network.ts')).checkProviderNetwork(params, { ...policy, redaction }),
    'config/write': async (params) => (await import('./settings/write-config.ts')).writeConfig(params, { home, files }),
    'config/read': (params) =>
      describeConfig(params, { home, env, keys, projects: trust.projects, redaction, rights: client.rights }),
    'usage/read': async (params) =>
      (await import('./read/usage.ts')).readUsage({ files, home, copies, readable: host.readable(client) }, params),
    'mcp/list': () => ({ servers: mcpServers.describe() }),
    'mcp/restart': ({ name }) => restartMcpServer(mcpServers, name),
    'server/checkup': async (params) =>
      (await import('./checkup/check-up.ts')).checkUp(params, { ...policy, redaction }),
    'policy/test': async (params) => (await import('./policy/test-command.ts')).testCommand(params, policy),
    'policy/replay': async (params) =>
      (await import('./policy/replay-calls.ts')).replayCalls(await refreshed(params), policy),
    'replay/run': async (params) =>
      (await import('./replay/replay-conversation.ts')).replayConversation(await refreshed(params), policy),
    'policy/why': async (params) =>
      (await import('./policy/explain-call.ts')).explainCall(await refreshed(params), policy),
    'trust/read': async (params) => (await import('./project/trust.ts')).readTrust(params, client.rights, trust),
    'hook/list': async (params) => (await import('./hooks/try-hooks.ts')).listHooks(params, client.rights, trust),
    'hook/try': async (params) => (await import('./hooks/try-hooks.ts')).tryHooks(params, await hookPorts()),
    'skill/list': async (params) =>
      (await import('./skills/list-parts.ts')).listParts(params, client.rights, { env, ...trust }),
    'environment/list': () => listEnvironments(client.rights, trust),
    'trust/decide': async (params) => (await import('./project/trust.ts')).decideTrust(params, client.rights, trust),
  }
}

interface LogSource {
  readonly conversation?: string
  readonly cwd?: string
  readonly file?: string
}

/** Brings the copy of a log up to date with the store. A conversation that the store does not give now may be on this machine. */
async function refresh<Params extends LogSource>(
  params: Params,
  client: Guest,
  host: ConversationHost,
): Promise<Params> {
  if (params.file !== undefined) return params
  try {
    const conversation = await host.find(wantedConversation(params), client)
    await host.storedPaths(conversation)
    return { ...params, conversation }
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof StorageError)) throw error
    return params
  }
}

type LoginMethod = 'login/start' | 'login/cancel' | 'login/status' | 'logout' | 'mcp/login' | 'mcp/logout'

function loginMethods({ logins }: MethodPorts): Pick<EngineMethods, LoginMethod> {
  return {
    'login/start': async (params) => (await logins()).start(params),
    'login/cancel': async (params) => (await logins()).cancel(params),
    'login/status': async () => (await logins()).status(),
    logout: async (params) => (await logins()).logout(params),
    'mcp/login': async (params) => (await logins()).startMcp(params),
    'mcp/logout': async (params) => (await logins()).logoutMcp(params),
  }
}

type ChangeMethod =
  | 'conversation/sendMessage'
  | 'conversation/inbox/edit'
  | 'conversation/inbox/remove'
  | 'conversation/interrupt'
  | 'conversation/background'
  | 'conversation/forward'
  | 'conversation/forward/stop'
  | 'conversation/process/read'
  | 'conversation/process/tellWhen'
  | 'conversation/process/write'
  | 'conversation/continue'
  | 'conversation/retryNow'
  | 'approval/decide'
  | 'conversation/configure'
  | 'conversation/runShell'
  | 'conversation/compact'
  | 'conversation/compact/undo'
  | 'conversation/context/leaveOut'
  | 'conversation/rewind/plan'
  | 'conversation/rewind'
  | 'conversation/remember/plan'
  | 'conversation/remember'

/**
 * Methods that change an open conversation. While a turn is being interrupted, a method that depends on the turn waits:
 * a request after the interrupt takes effect after it.
 */
function changeMethods(client: Guest, { host, policy: { home } }: MethodPorts): Pick<EngineMethods, ChangeMethod> {
  const opened = ({ conversationId }: { readonly conversationId: ConversationId }) => host.get(conversationId)
  const settled = <Result>(
    params: { readonly conversationId: ConversationId },
    act: (open: LiveConversation) => Result | Promise<Result>,
  ): Result | Promise<Result> => {
    const open = opened(params)
    return open.turns.stopping === null ? act(open) : open.turns.stopping.then(() => act(opened(params)))
  }
  return {
    'conversation/sendMessage': (params) => {
      if (!changesLimits(params)) return settled(params, (open) => sendMessage(open, params, { client, change: null }))
      return host
        .changer(client)
        .then((change) => settled(params, (open) => sendMessage(open, params, { client, change })))
    },
    'conversation/inbox/edit': (params) => settled(params, (open) => commands.editQueued(open, params, client.actor)),
    'conversation/inbox/remove': (params) =>
      settled(params, (open) => commands.removeQueued(open, params.messageId, client.actor)),
    'conversation/interrupt': (params) =>
      params.shell === true
        ? commands.interruptShell(opened(params), params.itemId)
        : commands.interruptTurn(opened(params), params),
    'conversation/background': (params) => settled(params, (open) => commands.sendToBackground(open, params.itemId)),
    'conversation/forward': (params) => writable(opened(params)).forwards.open(params.port, client.actor),
    'conversation/forward/stop': (params) => writable(opened(params)).forwards.stop(params.port, client.actor),
    'conversation/process/read': (params) => opened(params).processes.read(params),
    'conversation/process/tellWhen': (params) => writable(opened(params)).processes.tellWhen(params, client.actor),
    'conversation/process/write': (params) => writable(opened(params)).typing(params, client),
    'conversation/continue': (params) =>
      settled(params, (open) => commands.continueConversation(open, params, client.actor)),
    'conversation/retryNow': (params) => settled(params, commands.retryNow),
    'approval/decide': (params) => settled(params, (open) => decideApproval(open, params, client)),
    'conversation/configure': (params) => settled(params, (open) => commands.configure(open, params.settings, client)),
    'conversation/compact': (params) => settled(params, (open) => compact(open, params, client.actor)),
    'conversation/compact/undo': (params) => settled(params, (open) => undoCompaction(open, params.seq, client.actor)),
    'conversation/context/leaveOut': async (params) => {
      const { leaveOut } = await import('./commands/leave-out.ts')
      return settled(params, (open) => leaveOut(open, params, client.actor))
    },
    'conversation/runShell': (params) => settled(params, (open) => writable(open).shell.run(params, client.actor)),
    'conversation/remember/plan': async (params) => {
      const { planRemember } = await import('./user-changes/remember.ts')
      return settled(params, (open) => planRemember(open, { ...params, home }))
    },
    'conversation/remember': async (params) => {
      const { remember } = await import('./user-changes/remember.ts')
      return settled(params, (open) => remember(open, { ...params, home }, client.actor))
    },
    'conversation/rewind/plan': async (params) => {
      const { showRewind } = await import('./user-changes/rewind.ts')
      return settled(params, (open) => showRewind(open, params))
    },
    'conversation/rewind': async (params) => {
      const { rewindFiles } = await import('./user-changes/rewind.ts')
      return settled(params, (open) => rewindFiles(open, params, client.actor))
    },
  }
}

type PeopleMethod =
  | 'conversation/share'
  | 'conversation/link/make'
  | 'conversation/link/revoke'
  | 'user/list'
  | 'user/add'
  | 'user/remove'
  | 'user/token'

/** Methods about users and the access to conversations; their code is loaded with the first call. */
function peopleMethods(
  client: Guest,
  { host, trust, people: { users, page, logEvent } }: MethodPorts,
): Pick<EngineMethods, PeopleMethod> {
  const { now } = trust.clock
  const ports = () => ({ by: client.actor, users, now, page: page() })
  const sharing = () => import('./people/share.ts')
  const logged = <Result>(user: string, change: string, result: Result): Result => {
    const { person } = client.rights
    const by = person.kind === 'user' ? { by: person.name } : { as: person.kind }
    logEvent?.({ event: 'user.changed', user, change, ...by })
    return result
  }
  return {
    'conversation/share': async (params) => {
      const { share } = await sharing()
      return host.withConversation(params.conversationId, ({ conversation }) => share(conversation, params, ports()))
    },
    'conversation/link/make': async (params) => {
      const { makeLink } = await sharing()
      return host.withConversation(params.conversationId, ({ conversation }) => makeLink(conversation, params, ports()))
    },
    'conversation/link/revoke': async (params) => {
      const { revokeLink } = await sharing()
      return host.withConversation(params.conversationId, ({ conversation }) =>
        revokeLink(conversation, params, ports()),
      )
    },
    'user/list': async () => users?.list() ?? { file: null, users: [] },
    'user/add': async (params) => logged(params.user, 'added', usersOf(users).add(params)),
    'user/remove': async (params) => logged(params.user, 'removed', usersOf(users).remove(params)),
    'user/token': async (params) => logged(params.user, 'token', usersOf(users).renewToken(params)),
  }
}

/** Returns the users of a server. Throws `invalidParams` for a server without users. */
function usersOf(users: Users | null): Users {
  if (users !== null) return users
  throw rejection(
    'invalidParams',
    'This server has no users: start it with --users FILE, or set users_file in config.toml.',
  )
}
