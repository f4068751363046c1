import { createInOrder, type InOrder } from '@parley/host'
import { createPeer, type MethodHandler, type Peer, type PeerFault, type Transport } from '@parley/rpc'
import { isRecord } from '@parley/text'
import { lookupMethods } from './methods/lookups.ts'
import type { AppMethod } from './methods/method.ts'
import { openMethods } from './methods/open-threads.ts'
import { storedMethods } from './methods/stored-threads.ts'
import { turnMethods } from './methods/turns.ts'
import { commandMethods, fileMethods } from './methods/without-thread.ts'
import { type AppServerParts, AppSession } from './threads/session.ts'
import { asCodexError, codexError, decoded } from './wire/codex-error.ts'
import { codexTransport, unknownMethod } from './wire/codex-transport.ts'
import { codexParams } from './wire/params.ts'

/** Version of Codex that this app-server is like. */
const codexVersion = '0.169.0'

const methods: Readonly<Record<string, AppMethod>> = {
  ...lookupMethods,
  ...openMethods,
  ...storedMethods,
  ...turnMethods,
  ...commandMethods,
  ...fileMethods,
}

/** Serves one client of Codex's app-server until it is gone. */
export async function serveAppServer(
  transport: Transport,
  parts: AppServerParts,
  onFault: (fault: PeerFault) => void,
): Promise<void> {
  let peer: Peer | null = null
  const session = new AppSession(parts, () => {
    if (peer === null) throw new Error('the connection has not begun')
    return peer
  })
  const inOrder = createInOrder()
  const isKnown = (name: string) => name === 'initialize' || Object.hasOwn(methods, name)
  const handlers: Record<string, MethodHandler> = {
    initialize: (params) => initialize(session, params),
    [unknownMethod]: (params) => rejectUnknown(session, params),
    ...Object.fromEntries(Object.entries(methods).map(([name, run]) => [name, handlerOf(session, run, inOrder)])),
  }
  peer = createPeer({
    transport: codexTransport(transport, { isKnown, now: parts.now }),
    methods: handlers,
    notifications: {},
    onFault,
  })
  await peer.closed
  await session.close()
}

function initialize(session: AppSession, params: unknown) {
  const decodedParams = decoded(codexParams.initialize, params)
  session.initialize(decodedParams)
  const { name, version } = decodedParams.clientInfo
  return {
    // Clients compare the version with their own, and warn of an older one.
    userAgent: `${name}/${codexVersion} (parley ${session.parts.version}) (${name}; ${version})`,
    codexHome: session.parts.home,
    platformFamily: 'unix',
    platformOs: process.platform === 'darwin' ? 'macos' : process.platform,
  }
}

function rejectUnknown(session: AppSession, params: unknown): never {
  if (!session.isInitialized) throw codexError('Not initialized')
  const name = isRecord(params) && typeof params['method'] === 'string' ? params['method'] : ''
  const known = ['initialize', ...Object.keys(methods)].map((one) => `\`${one}\``).join(', ')
  throw codexError(`Invalid request: unknown variant \`${name}\`, expected one of ${known}`)
}

/** Returns the handler of a method. Requests of one thread take effect in the order of their arrival. */
function handlerOf(session: AppSession, run: AppMethod, inOrder: InOrder): MethodHandler {
  return async (params, context) => {
    if (!session.isInitialized) throw codexError('Not initialized')
    const threadId = isRecord(params) ? params['threadId'] : undefined
    const act = () => run(session, params, context)
    try {
      return await (typeof threadId === 'string' ? inOrder(threadId, act) : act())
    } catch (error) {
      throw asCodexError(error)
    }
  }
}
