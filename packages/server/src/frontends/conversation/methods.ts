import { asRejection, type CheckRight, type Engine, rejection } from '@parley/engine'
import { createInOrder, type InOrder } from '@parley/host'
import { type ConversationId, type MethodName, methodRules, type ParamsOf, type ResultOf } from '@parley/protocol'
import { methodParams } from '@parley/protocol/params'
import type { CallContext, MethodHandler } from '@parley/rpc'
import { decodeParams } from '@parley/serving'
import type { WebFrontend } from '../web/web-frontend.ts'
import type { Session } from './session.ts'
import type { Streams } from './streams.ts'

/**
 * Returns the methods of one connection. Each request passes the handshake, its schema and the client's rights before
 * its handler. Errors are converted to errors of the protocol.
 */
export function createMethods(
  handlers: Handlers,
  { session, shown, checkRight, awaited }: MethodPorts,
): Record<string, MethodHandler> {
  const names = Object.keys(handlers) as MethodName[] // narrowed: the table has exactly the protocol's methods
  const inOrder = createInOrder()
  return Object.fromEntries(
    names.map((name) => [name, createMethod(name, handlers, { session, shown, checkRight, awaited, inOrder })]),
  )
}

interface MethodPorts {
  readonly session: Session
  /** Resolves when all that was recorded in a conversation may be shown; null where that is at once. */
  readonly shown: (conversationId: ConversationId) => Promise<void> | null
  readonly checkRight: CheckRight
  /** Called with each answer that does not come at once. */
  readonly awaited: (answer: Promise<unknown>) => void
}

function createMethod<Name extends MethodName>(
  name: Name,
  handlers: Handlers,
  { session, shown, checkRight, awaited, inOrder }: MethodPorts & { readonly inOrder: InOrder },
): MethodHandler {
  /** An answer waits until all that it may tell of is stored: an interrupt tells of nothing. */
  function answer(decoded: object, result: ResultOf<Name>): ResultOf<Name> | Promise<ResultOf<Name>> {
    const conversationId =
      name === 'conversation/interrupt' ? null : (conversationOf(decoded) ?? conversationOf(result))
    const wait = conversationId === null ? null : shown(conversationId)
    return wait === null ? result : wait.then(() => result)
  }

  return (params, context) => {
    session.assertMay(name)
    try {
      const decoded = decodeParams(name, methodParams[name], params) as ParamsOf<Name> // narrowed: decoded by this method's schema
      const conversationId = runsInOrder(name) ? conversationOf(decoded) : null
      const handle = () => {
        const checked = checkRight(session.rights, name, decoded)
        return checked === undefined
          ? handlers[name](decoded, context)
          : checked.then(() => handlers[name](decoded, context))
      }
      const handled = conversationId === null ? handle() : inOrder(conversationId, handle)
      if (handled instanceof Promise) awaited(handled)
      const result =
        handled instanceof Promise ? handled.then((value) => answer(decoded, value)) : answer(decoded, handled)
      return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(asRejection(error))) : result
    } catch (error) {
      throw asRejection(error)
    }
  }
}

/**
 * Returns true for methods that change, open, follow or leave a conversation: each takes effect after the client's
 * earlier requests. Leaving early could end work that an earlier request has yet to start.
 */
function runsInOrder(name: MethodName): boolean {
  return methodRules[name].access !== 'look' || name === 'conversation/stream' || name === 'conversation/unstream'
}

function conversationOf(params: object): string | null {
  return 'conversationId' in params && typeof params.conversationId === 'string' ? params.conversationId : null
}

interface HandlerPorts {
  readonly engine: Engine
  readonly session: Session
  readonly streams: Streams
  readonly web: WebFrontend | null
  readonly ignoredMessages: () => number
  /** Sends `conversation/listChanged` from now on. */
  readonly followList: () => void
}

type Handler<Name extends MethodName> = (
  params: ParamsOf<Name>,
  context: CallContext,
) => ResultOf<Name> | Promise<ResultOf<Name>>

/** Handlers by method; a missing one does not compile. */
type Handlers = { readonly [Name in MethodName]: Handler<Name> }

export function createHandlers(ports: HandlerPorts): Handlers {
  const { engine, session, streams, web, ignoredMessages } = ports
  const { host } = engine
  const unstream = async (conversationId: ConversationId) => {
    streams.leave(conversationId)
    await host.leave(conversationId)
    return {}
  }
  const ofEngine = engine.methodsFor(session)
  return {
    ...ofEngine,
    initialize: (params) => session.initialize(params),
    'conversation/list': (params) => {
      if (params.follow === true) ports.followList()
      return ofEngine['conversation/list'](params)
    },
    'conversation/stream': ({ conversationId, after }, context) =>
      streams.open(host.get(conversationId), after ?? null, context),
    'conversation/unstream': ({ conversationId }) => unstream(conversationId),
    'conversation/detach': async ({ conversationId }) => {
      host.get(conversationId).clients.detach()
      return unstream(conversationId)
    },
    'web/open': async (params) => {
      if (web === null)
        throw rejection('notPermitted', 'This process shows no page: `parley web` starts one that does.')
      // A link to a conversation that is not there would open an empty page.
      const { conversationId } = params
      if (conversationId !== undefined) await ofEngine['conversation/read']({ conversationId, limit: 1 })
      return web.open(session.actor.clientId, params)
    },
    'server/diagnostics': async () => ({
      ...(await engine.diagnostics.read(session)),
      ignoredMessages: ignoredMessages(),
    }),
  }
}
