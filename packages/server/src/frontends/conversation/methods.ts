import { type MethodName, methodAccess, type ParamsOf, type ResultOf } from '@parley/protocol'
import { methodParams } from '@parley/protocol/params'
import type { CallContext, MethodHandler } from '@parley/rpc'
import * as commands from '../../engine/commands/commands.ts'
import { decideApproval } from '../../engine/commands/decide-approval.ts'
import { sendMessage } from '../../engine/commands/send-message.ts'
import { restartMcpServer } from '../../engine/context/conversation-mcp.ts'
import type { Engine } from '../../engine/engine.ts'
import { summaryOf } from '../../engine/open/live-conversation.ts'
import { readEvents, readItems, readSideFile } from '../../engine/read/read-conversation.ts'
import { asRejection } from '../../engine/replies/rejection.ts'
import { decodeParams } from '../decode-params.ts'
import type { Session } from './session.ts'
import type { Streams } from './streams.ts'

/**
 * Returns the methods of one connection. Each request is checked against the handshake, then its parameters are decoded,
 * then its handler runs. Errors of this project are mapped to the protocol's error codes.
 */
export function createMethods(handlers: Handlers, session: Session): Record<string, MethodHandler> {
  const names = Object.keys(handlers) as MethodName[] // narrowed: the table has exactly the protocol's methods
  const inOrder = createInOrder()
  return Object.fromEntries(names.map((name) => [name, createMethod(name, handlers, { session, inOrder })]))
}

function createMethod<Name extends MethodName>(
  name: Name,
  handlers: Handlers,
  { session, inOrder }: { readonly session: Session; readonly inOrder: InOrder },
): MethodHandler {
  return (params, context) => {
    session.assertMay(name)
    try {
      const decoded = decodeParams(name, methodParams[name], params) as ParamsOf<Name> // narrowed: decoded by this method's schema
      const conversationId = runsInOrder(name) ? conversationOf(decoded) : null
      const handle = () => handlers[name](decoded, context)
      const result = conversationId === null ? handle() : inOrder(conversationId, handle)
      return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(asRejection(error))) : result
    } catch (error) {
      throw asRejection(error)
    }
  }
}

/** Returns true for changes, and for unstream: leaving early could end work that an earlier request has yet to start. */
function runsInOrder(name: MethodName): boolean {
  return methodAccess[name] === 'change' || name === 'conversation/unstream'
}

function conversationOf(params: object): string | null {
  return 'conversationId' in params && typeof params.conversationId === 'string' ? params.conversationId : null
}

/** Runs the changes that one client requests of a conversation in the order of their requests. */
type InOrder = <Result>(key: string, change: () => Result | Promise<Result>) => Result | Promise<Result>

/**
 * Creates a queue for each key. A change runs at once when none of its key is pending, so that its reply can leave in
 * the same tick. Behind a pending change, such as one that reads an image, each later one waits its turn.
 */
export function createInOrder(): InOrder {
  const tails = new Map<string, Promise<unknown>>()

  function follow<Result>(key: string, result: Promise<Result>): Promise<Result> {
    const end = () => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail: Promise<unknown> = result.then(end, end)
    tails.set(key, tail)
    return result
  }

  return (key, change) => {
    const before = tails.get(key)
    if (before !== undefined) return follow(key, before.then(change))
    const result = change()
    return result instanceof Promise ? follow(key, result) : result
  }
}

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
type Handlers = { readonly [Name in MethodName]: Handler<Name> }

export function createHandlers({ engine, session, streams, ignoredMessages }: HandlerPorts): Handlers {
  const { host } = engine
  const by = () => session.actor
  const acknowledge = async (
    conversationId: string,
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
