import {
  type ExecMethodName,
  type ExecNotificationName,
  type ExecNotifications,
  type ExecParamsOf,
  type ExecResultOf,
  execMethods,
  execNotifications,
  type Fence,
  isFenced,
  type People,
} from '@parley/protocol/exec'
import { type CloseReason, createPeer, type Peer, type Transport } from '@parley/rpc'
import type { z } from 'zod'
import { EnvironmentUnreachableError, isEpochOver } from '../files/errors.ts'

export type ExecInfo = ExecResultOf<'environment/info'>

export type ExecNotice = {
  readonly [Name in ExecNotificationName]: { readonly method: Name; readonly params: ExecNotifications[Name] }
}[ExecNotificationName]

/** Connection to an exec-server after `initialize`. */
export interface ExecConnection {
  /** Id of the session; a later connection that resumes it finds the same processes. */
  readonly sessionId: string
  readonly info: ExecInfo
  /** Processes that the session had when it was attached, with the ms that they have run. */
  readonly processes: ReadonlyMap<string, number>
  /** Texts that were typed into them as secrets. */
  readonly hidden: readonly string[]
  /** Sends a request. Rejects with the exec-server's `RpcError`, or `ConnectionClosedError`, which leaves the effect unknown. */
  request<Name extends ExecMethodName>(method: Name, params: ExecParamsOf<Name>): Promise<ExecResultOf<Name>>
  /** Never rejects. */
  readonly closed: Promise<CloseReason>
  close(): Promise<void>
}

interface ConnectionOptions {
  readonly transport: Transport
  readonly resumeSessionId: string | null
  readonly onNotice: (notice: ExecNotice) => void
  /** Conversation that the requests are for, where a store has it; else null. */
  readonly fence: Fence | null
  /** Users that it is for; null where the exec-server does not ask. */
  readonly people: People | null
  /** Called with each request that is rejected because another server has the conversation. */
  readonly onEpochOver: () => void
}

const clientName = 'parley'
/** Time limit for an answer; file operations and process starts take far less. */
const answerLimitMs = 30_000

/** Opens or resumes a session over a transport. Closes the transport and rejects with the `RpcError` when the server rejects it. */
export async function openExecConnection({
  transport,
  resumeSessionId,
  onNotice,
  fence,
  people,
  onEpochOver,
}: ConnectionOptions): Promise<ExecConnection> {
  const peer = createPeer({ transport, methods: {}, notifications: noticeHandlers(onNotice) })
  const send = async <Name extends ExecMethodName>(method: Name, params: ExecParamsOf<Name>) => {
    try {
      return await request(peer, method, fence === null || !isFenced(method) ? params : { ...params, fence })
    } catch (error) {
      if (isEpochOver(error)) onEpochOver()
      throw error
    }
  }
  try {
    const resumed = resumeSessionId === null ? {} : { resumeSessionId }
    const params = { clientName, ...resumed, ...(people === null ? {} : { people }) }
    const { sessionId, environmentInfo, processes = [] } = await send('initialize', params)
    peer.notify('initialized', {})
    return {
      sessionId,
      info: environmentInfo,
      processes: new Map(processes.map(({ processId, ageMs }) => [processId, ageMs])),
      hidden: processes.flatMap(({ hidden = [] }) => hidden),
      request: send,
      closed: peer.closed,
      close: () => peer.close(),
    }
  } catch (error) {
    await peer.close()
    throw error
  }
}

async function request<Name extends ExecMethodName>(
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

/** Drops a notification that does not match its schema: the gap in the sequence numbers makes the process read it again. */
function noticeHandler(method: ExecNotificationName, onNotice: (notice: ExecNotice) => void) {
  return (params: unknown) => {
    const parsed = execNotifications[method].safeParse(params)
    if (parsed.success) onNotice({ method, params: parsed.data } as ExecNotice) // narrowed: decoded by the schema of this name
  }
}
