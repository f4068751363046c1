import { inspect } from 'node:util'
import { hasCode, STORE_TAKEN, StorageError } from '@parley/journal'
import type { ConversationId, ServerNotice } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { ConnectedClients } from './connected-clients.ts'
import type { EngineChoices, EngineParts } from './engine-parts.ts'
import { kindOfFault } from './metrics/event-log.ts'
import { asRejection } from './replies/rejection.ts'
import { storageNotice } from './replies/storage-words.ts'

/** Reports a fault to the log, and to the clients where it concerns a conversation. */
export type ReportFault = (fault: unknown, conversationId?: ConversationId) => void

/** `giveUp` closes a conversation that another server has taken over. */
export function createReport(
  { writeLog, logEvent }: Pick<EngineParts, 'writeLog'> & Pick<EngineChoices, 'logEvent'>,
  { notifyAll }: ConnectedClients,
  giveUp: (conversationId: ConversationId) => void,
): ReportFault {
  return (fault, conversationId) => {
    writeLog(describeFault(fault))
    logEvent?.({
      event: 'fault',
      ...(conversationId === undefined ? {} : { conversation: conversationId }),
      ...kindOfFault(fault),
    })
    if (conversationId === undefined) return
    notifyAll({ ...noticeOf(fault), conversationId })
    if (hasCode(fault, STORE_TAKEN)) giveUp(conversationId)
  }
}

function describeFault(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : inspect(fault)
}

/** Describes a fault for a notice. A full disk comes without advice to repeat a request: no client made one. */
function noticeOf(fault: unknown): Omit<ServerNotice, 'conversationId'> {
  if (fault instanceof StorageError)
    return { level: 'error', code: 'storageFailed', ...storageNotice(fault), passing: fault.retryable }
  const known = asRejection(fault)
  if (known instanceof RpcError)
    return { level: 'error', code: String(known.data?.['code'] ?? 'internal'), message: known.message }
  const message = 'Something went wrong in parley itself; its log says more.'
  return { level: 'error', code: 'internal', message }
}
