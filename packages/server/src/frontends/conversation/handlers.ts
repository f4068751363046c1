import type { ConversationId, MethodName, ParamsOf, ResultOf } from '@parley/protocol'
import type { CallContext } from '@parley/rpc'
import * as commands from '../../engine/commands/commands.ts'
import { decideApproval } from '../../engine/commands/decide-approval.ts'
import { sendMessage } from '../../engine/commands/send-message.ts'
import { restartMcpServer } from '../../engine/context/conversation-mcp.ts'
import type { Engine } from '../../engine/engine.ts'
import { summaryOf } from '../../engine/open/live-conversation.ts'
import { readEvents, readItems, readSideFile } from '../../engine/read/read-conversation.ts'
import type { Session } from './session.ts'
import type { Streams } from './streams.ts'

interface HandlerPorts {
  readonly engine: Engine
  readonly session: Session
  readonly streams: Streams
  readonly ignoredMessages: () => number
}

type Handler<Name extends MethodName> = (
  params: ParamsOf<Name>,
  context: CallContext,
) => ResultOf<Name> | Promise<ResultOf<Name>>

/** Handlers by method; a missing one does not compile. */
export type Handlers = { readonly [Name in MethodName]: Handler<Name> }

export function createHandlers({ engine, session, streams, ignoredMessages }: HandlerPorts): Handlers {
  const { host } = engine
  const by = () => session.actor
  const acknowledge = async (
    conversationId: ConversationId,
    record: Parameters<typeof host.withConversation<{ seq: number }>>[1],
  ) => host.withConversation(conversationId, record)

  return {
    initialize: (params) => session.initialize(params),
    'conversation/create': async (params) => summaryOf(await host.create(params, session)),
    'conversation/resume': async (params) => summaryOf(await host.resume(params, session)),
    'conversation/fork': async ({ conversationId, at }) =>
      summaryOf(await host.fork(conversationId, at ?? null, session)),
    'conversation/stream': ({ conversationId, after }, context) =>
      streams.open(host.get(conversationId), after ?? null, context),
    'conversation/unstream': async ({ conversationId }) => {
      streams.leave(conversationId)
      await host.leave(conversationId)
      return {}
    },
    'conversation/detach': async ({ conversationId }) => {
      host.get(conversationId).clients.detached = true
      streams.leave(conversationId)
      await host.leave(conversationId)
      return {}
    },
    'conversation/sendMessage': (params) => sendMessage(host.get(params.conversationId), params, by()),
    'conversation/inbox/edit': (params) => commands.editQueued(host.get(params.conversationId), params, by()),
    'conversation/inbox/remove': ({ conversationId, messageId }) =>
      commands.removeQueued(host.get(conversationId), messageId, by()),
    'conversation/interrupt': ({ conversationId, turnId }) => commands.interruptTurn(host.get(conversationId), turnId),
    'conversation/continue': ({ conversationId }) => commands.continueConversation(host.get(conversationId), by()),
    'approval/decide': (params) => decideApproval(host.get(params.conversationId), params, by()),
    'conversation/configure': ({ conversationId, settings }) =>
      commands.configure(host.get(conversationId), settings, by()),
    'conversation/runShell': ({ conversationId, command }) =>
      commands.writable(host.get(conversationId)).shell.run(command, by()),
    'conversation/list': (params) => host.list(params),
    'conversation/read': ({ conversationId, before, limit }) =>
      readItems(engine, conversationId, { before: before ?? null, limit: limit ?? 100 }),
    'conversation/readEvents': ({ conversationId, ...range }) =>
      readEvents(host.get(conversationId).conversation, range),
    'conversation/readFile': (params) => readSideFile(engine, params),
    'conversation/rename': ({ conversationId, name }) =>
      acknowledge(conversationId, ({ conversation }) =>
        conversation.record({ type: 'conversation.renamed', name, by: by() }),
      ),
    'conversation/archive': ({ conversationId }) =>
      acknowledge(conversationId, ({ conversation }) =>
        conversation.record({ type: 'conversation.archived', archived: true, by: by() }),
      ),
    'conversation/unarchive': ({ conversationId }) =>
      acknowledge(conversationId, ({ conversation }) =>
        conversation.record({ type: 'conversation.archived', archived: false, by: by() }),
      ),
    'conversation/delete': async ({ conversationId }) => {
      await host.delete(conversationId)
      return {}
    },
    ...createServerHandlers(engine),
    'trust/read': (params) => engine.readTrust(params),
    'trust/decide': (params) => engine.decideTrust(params),
    'server/diagnostics': async () => ({ ...(await engine.diagnose()), ignoredMessages: ignoredMessages() }),
  }
}

type Names =
  | 'model/list'
  | 'config/read'
  | 'mcp/list'
  | 'mcp/restart'
  | 'server/checkup'
  | 'policy/test'
  | 'policy/replay'
  | 'policy/why'

/**
 * Returns the handlers that concern the server and no open conversation. Code of rare methods is loaded on first use.
 */
function createServerHandlers(engine: Engine): Pick<Handlers, Names> {
  const { policy } = engine
  return {
    'model/list': () => engine.listModels(),
    'config/read': (params) => engine.readConfig(params),
    'mcp/list': () => ({ servers: engine.mcpServers.describe() }),
    'mcp/restart': ({ name }) => restartMcpServer(engine.mcpServers, name),
    'server/checkup': async (params) => (await import('../../engine/checkup/check-up.ts')).checkUp(params, policy),
    'policy/test': async (params) => (await import('../../engine/policy/test-command.ts')).testCommand(params, policy),
    'policy/replay': async (params) =>
      (await import('../../engine/policy/replay-calls.ts')).replayCalls(params, policy),
    'policy/why': async (params) => (await import('../../engine/policy/explain-call.ts')).explainCall(params, policy),
  }
}
