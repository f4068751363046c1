import type { Files } from '@parley/journal'
import type { McpServers } from '@parley/mcp-client'
import type { ConversationEvent, ConversationId, MethodName, ParamsOf, ResultOf } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import type { TextSearch } from '../ports/text-search.ts'
import type { CheckupPorts } from './checkup/check-up.ts'
import * as commands from './commands/commands.ts'
import { compact, undoCompaction } from './commands/compact.ts'
import { decideApproval } from './commands/decide-approval.ts'
import { changesLimits, sendMessage } from './commands/send-message.ts'
import { restartMcpServer } from './context/conversation-mcp.ts'
import { readView } from './conversation/read-view.ts'
import type { FileFinder } from './find-files.ts'
import type { TryPorts } from './hooks/try-hooks.ts'
import type { Guest } from './limits/may-loosen.ts'
import type { Logins } from './login/logins.ts'
import type { ConversationHost } from './open/conversation-host.ts'
import { type LiveConversation, summaryOf, writable } from './open/live-conversation.ts'
import { wantedConversation } from './read/list-conversations.ts'
import { existingPaths, findItem, readEvents, readItems, readSideFile } from './read/read-conversation.ts'
import { readTurns } from './read/read-turns.ts'
import { listModels } from './settings/model-lists.ts'
import { listProviders } from './settings/provider-list.ts'
import { describeConfig } from './settings/read-config.ts'
import type { TrustPorts } from './settings/trust.ts'

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

interface MethodPorts {
  readonly host: ConversationHost
  readonly files: Files
  readonly search: TextSearch
  readonly mcpServers: McpServers
  readonly redaction: Redaction
  /** Name and version of this program. */
  readonly program: string
  readonly policy: CheckupPorts
  readonly trust: TrustPorts
  /** Returns what hooks are tried with. */
  readonly hookPorts: () => Promise<TryPorts>
  /** Loads the code of logins with the first one. */
  readonly logins: () => Promise<Logins>
}

/** Returns the methods for one client, whose actor and access are read at each call. */
export function methodsFor(client: Guest, ports: MethodPorts): EngineMethods {
  return {
    ...conversationMethods(client, ports),
    ...changeMethods(client, ports),
    ...serverMethods(ports),
    ...loginMethods(ports),
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
  | 'hook/list'
  | 'hook/try'

/** Methods that concern the server and no open conversation. Code of rare ones is loaded on first use. */
function serverMethods({
  files,
  mcpServers,
  redaction,
  policy,
  trust,
  hookPorts,
}: MethodPorts): Pick<EngineMethods, ServerMethod> {
  const { home, env, keys } = policy
  return {
    'model/list': (params) => listModels(params, policy, trust.clock.now),
    'provider/list': () => listProviders({ ...policy, redaction }),
    'provider/check': async (params) =>
      (await import('./checkup/check-provider-network.ts')).checkProviderNetwork(params, { ...policy, redaction }),
    'config/write': async (params) => (await import('./settings/write-config.ts')).writeConfig(params, { home, files }),
    'config/read': (params) => describeConfig(params, { home, env, keys, projects: trust.projects, redaction }),
    'usage/read': async (params) => (await import('./read/usage.ts')).readUsage(files, home, params),
    'mcp/list': () => ({ servers: mcpServers.describe() }),
    'mcp/restart': ({ name }) => restartMcpServer(mcpServers, name),
    'server/checkup': async (params) => (await import('./checkup/check-up.ts')).checkUp(params, policy),
    'policy/test': async (params) => (await import('./policy/test-command.ts')).testCommand(params, policy),
    'policy/replay': async (params) => (await import('./policy/replay-calls.ts')).replayCalls(params, policy),
    'replay/run': async (params) =>
      (await import('./replay/replay-conversation.ts')).replayConversation(params, policy),
    'policy/why': async (params) => (await import('./policy/explain-call.ts')).explainCall(params, policy),
    'trust/read': async (params) => (await import('./settings/trust.ts')).readTrust(params, trust),
    'hook/list': async (params) => (await import('./hooks/try-hooks.ts')).listHooks(params, trust),
    'hook/try': async (params) => (await import('./hooks/try-hooks.ts')).tryHooks(params, await hookPorts()),
    'skill/list': async (params) => (await import('./skills/list-parts.ts')).listParts(params, { env, ...trust }),
    'trust/decide': async (params) => (await import('./settings/trust.ts')).decideTrust(params, trust),
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
  | 'conversation/continue'
  | 'conversation/retryNow'
  | 'approval/decide'
  | 'conversation/configure'
  | 'conversation/runShell'
  | 'conversation/compact'
  | 'conversation/compact/undo'
  | 'conversation/rewind/plan'
  | 'conversation/rewind'
  | 'conversation/remember/plan'
  | 'conversation/remember'

/**
 * Methods that change an open conversation. Those that depend on its turn wait while one is being interrupted: what was
 * asked for after the interrupt takes effect after it.
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
    'conversation/process/tellWhen': (params) => writable(opened(params)).processes.tellWhen(params),
    'conversation/continue': (params) =>
      settled(params, (open) => commands.continueConversation(open, params, client.actor)),
    'conversation/retryNow': (params) => settled(params, commands.retryNow),
    'approval/decide': (params) => settled(params, (open) => decideApproval(open, params, client)),
    'conversation/configure': (params) => settled(params, (open) => commands.configure(open, params.settings, client)),
    'conversation/compact': (params) => settled(params, (open) => compact(open, params, client.actor)),
    'conversation/compact/undo': (params) => settled(params, (open) => undoCompaction(open, params.seq, client.actor)),
    'conversation/runShell': (params) => settled(params, (open) => writable(open).shell.run(params, client.actor)),
    'conversation/remember/plan': async (params) => {
      const { planRemember } = await import('./history/remember.ts')
      return settled(params, (open) => planRemember(open, { ...params, home }))
    },
    'conversation/remember': async (params) => {
      const { remember } = await import('./history/remember.ts')
      return settled(params, (open) => remember(open, { ...params, home }, client.actor))
    },
    'conversation/rewind/plan': async (params) => {
      const { showRewind } = await import('./history/rewind.ts')
      return settled(params, (open) => showRewind(open, params))
    },
    'conversation/rewind': async (params) => {
      const { rewindFiles } = await import('./history/rewind.ts')
      return settled(params, (open) => rewindFiles(open, params, client.actor))
    },
  }
}

/** Methods that open, list, read, rename and delete conversations, whether they are open or not. */
function conversationMethods(
  client: Guest,
  ports: MethodPorts,
): Omit<EngineMethods, ServerMethod | LoginMethod | ChangeMethod> {
  const { host } = ports
  const noted = (event: ConversationEvent) => (live: LiveConversation) => ({ seq: live.conversation.record(event).seq })
  let findFiles: FileFinder | null = null
  const archive = (archived: boolean) => noted({ type: 'conversation.archived', archived, by: client.actor })
  return {
    'conversation/create': async (params) => summaryOf(await host.create(params, client)),
    'conversation/resume': async (params) => summaryOf(await host.resume(params, client)),
    'conversation/fork': async (params) => summaryOf(await host.fork(params, client)),
    'conversation/rescue': async (params) => summaryOf(await host.rescue(params, client)),
    ...bundleMethods(client, ports),
    'conversation/list': (params) => host.list(params),
    'conversation/search': async (params) =>
      (await import('./search/search-conversations.ts')).searchConversations(
        { ...ports, home: ports.policy.home },
        params,
      ),
    'conversation/read': ({ conversationId, before = null, after = 0, limit = 100 }) =>
      readItems(ports, conversationId, { before, after, limit }),
    'conversation/turns': ({ conversationId, before = null, limit = 20 }) =>
      readTurns(ports.files, existingPaths(ports, conversationId), { before, limit }),
    'conversation/readChange': async ({ conversationId, itemId }) => {
      const { readChange } = await import('./history/read-change.ts')
      return {
        files: await readChange(host.get(conversationId), itemId, () => findItem(ports, conversationId, itemId)),
      }
    },
    'conversation/context': async ({ conversationId }) => {
      const { conversation, modules } = host.get(conversationId)
      const { context } = conversation.state.core
      const { contextUse } = await import('./read/context-use.ts')
      await readView(conversation.view)
      return contextUse({
        request: modules.requests.next(),
        instructionFiles: context?.instructionFiles ?? [],
        counted: conversation.view.counted(conversation.sideFiles),
        contextWindow: modules.model().facts.contextWindow,
      })
    },
    'conversation/findFiles': async ({ conversationId, query }) => {
      const { createFileFinder } = await import('./find-files.ts')
      findFiles ??= createFileFinder(ports.trust.clock.now)
      return findFiles(host.get(conversationId), query)
    },
    'conversation/readEvents': ({ conversationId, ...range }) =>
      readEvents(host.get(conversationId).conversation, range),
    'conversation/readFile': (params) => readSideFile(ports, params),
    'conversation/rename': async ({ conversationId, name }) =>
      host.withConversation(conversationId, noted({ type: 'conversation.renamed', name, by: client.actor })),
    'conversation/archive': async ({ conversationId }) => host.withConversation(conversationId, archive(true)),
    'conversation/unarchive': async ({ conversationId }) => host.withConversation(conversationId, archive(false)),
    'conversation/delete': async ({ conversationId }) => {
      await host.delete(conversationId)
      // Where this fails, the next search finds that the log is gone.
      await ports.search.forget(conversationId).catch(() => undefined)
      return {}
    },
  }
}

type BundleMethod = 'bundle/describe' | 'bundle/write' | 'bundle/open' | 'conversation/export'

/** Methods for conversations in one file; their code is loaded with the first call. */
function bundleMethods(
  client: Guest,
  { host, files, redaction, program, trust }: MethodPorts,
): Pick<EngineMethods, BundleMethod> {
  const ports = { files, redaction, program, now: () => trust.clock.now() }
  const source = async ({ withoutOutputs = false, ...wanted }: ParamsOf<'bundle/describe'>) => {
    const conversationId = await host.find(wantedConversation(wanted))
    return { conversationId, withoutOutputs, paths: await host.storedPaths(conversationId) }
  }
  return {
    'bundle/describe': async (params) =>
      (await import('./bundle/write-bundle.ts')).describeBundle(await source(params), ports),
    'bundle/write': async (params) =>
      (await import('./bundle/write-bundle.ts')).writeBundle(await source(params), params.file, ports),
    'conversation/export': async ({ before, limit, ...wanted }) =>
      (await import('./bundle/export-page.ts')).exportPage(await source(wanted), { before, limit }, ports),
    'bundle/open': async (params) => summaryOf(await host.openBundle(params, client)),
  }
}
