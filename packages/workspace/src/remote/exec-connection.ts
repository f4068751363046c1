import {
  type ExecMethodName,
  type ExecNotificationName,
  type ExecNotifications,
  type ExecParamsOf,
  type ExecResultOf,
  execMethods,
  execNotifications,
} from '@parley/protocol/exec'
import { type CloseReason, createPeer, type Peer, type Transport } from '@parley/rpc'
import type { z } from 'zod'
import { EnvironmentUnreachableError } from '../files/errors.ts'

export type ExecInfo = ExecResultOf<'environment/info'>

export type ExecNotice = {
  readonly [Name in ExecNotificationName]: { readonly method: Name; readonly params: ExecNotifications[Name] }
}[ExecNotificationName]

/** One connection to an exec-server, greeted. */
export interface ExecConnection {
  /** Stays the same over connections that resume it: what was started in it is still known. */
  readonly sessionId: string
  readonly info: ExecInfo
  /** Rejects with the exec-server's `RpcError`, or with `ConnectionClosedError`: whether it was done is then unknown. */
  request<Name extends ExecMethodName>(method: Name, params: ExecParamsOf<Name>): Promise<ExecResultOf<Name>>
  /** Never rejects. */
  readonly closed: Promise<CloseReason>
  close(): Promise<void>
}

interface Greeting {
  readonly transport: Transport
  readonly resumeSessionId: string | null
  readonly onNotice: (notice: ExecNotice) => void
}

const clientName = 'parley'
/** What a look at a file or the start of a process may take; longer, and the far side is stuck. */
const answerLimitMs = 30_000

/** Rejects with the `RpcError` of a refused greeting; the transport is closed then. */
export async function greetExecServer({ transport, resumeSessionId, onNotice }: Greeting): Promise<ExecConnection> {
  const peer = createPeer({ transport, methods: {}, notifications: noticeHandlers(onNotice) })
  try {
    const params = { clientName, ...(resumeSessionId === null ? {} : { resumeSessionId }) }
    const { sessionId, environmentInfo } = await ask(peer, 'initialize', params)
    peer.notify('initialized', {})
    return {
      sessionId,
      info: environmentInfo,
      request: (method, asked) => ask(peer, method, asked),
      closed: peer.closed,
      close: () => peer.close(),
    }
  } catch (error) {
    await peer.close()
    throw error
  }
}

async function ask<Name extends ExecMethodName>(
  peer: Peer,
  method: Name,
  params: ExecParamsOf<Name>,
): Promise<ExecResultOf<Name>> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), answerLimitMs)
  try {
    return decoded(method, await peer.request(method, params, { signal: limit.signal }))
  } catch (error) {
    if (!limit.signal.aborted) throw error
    throw new EnvironmentUnreachableError(`its exec-server did not answer ${method} within ${answerLimitMs / 1000} s`)
  } finally {
    clearTimeout(timer)
  }
}

function decoded<Name extends ExecMethodName>(method: Name, result: unknown): ExecResultOf<Name> {
  const schema: z.ZodType<ExecResultOf<Name>> = execMethods[method].result as never // narrowed: the table pairs them by name
  const parsed = schema.safeParse(result)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new EnvironmentUnreachableError(
    `its exec-server answered ${method} in another way than agreed (${issue?.path.join('.')}: ${issue?.message})`,
  )
}

function noticeHandlers(onNotice: (notice: ExecNotice) => void) {
  return {
    'process/output': noticeHandler('process/output', onNotice),
    'process/exited': noticeHandler('process/exited', onNotice),
    'process/closed': noticeHandler('process/closed', onNotice),
  }
}

/** One that does not fit is dropped: the numbers then show a gap, and what is missing is asked for. */
function noticeHandler(method: ExecNotificationName, onNotice: (notice: ExecNotice) => void) {
  return (params: unknown) => {
    const parsed = execNotifications[method].safeParse(params)
    if (parsed.success) onNotice({ method, params: parsed.data } as ExecNotice) // narrowed: decoded by the schema of this name
  }
}
