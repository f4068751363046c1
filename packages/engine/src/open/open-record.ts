import type { Files } from '@parley/journal'
import type { ConversationId, ServerNotice } from '@parley/protocol'
import { type Redaction, redactEvent } from '@parley/redaction'
import type { CheckpointLimits } from '../conversation/checkpoint-writer.ts'
import { Conversation } from '../conversation/conversation.ts'
import { redactSideFiles } from '../conversation/side-files.ts'
import { reportOnce } from '../conversation/storage-retry.ts'
import type { OpenConversation, OpenLog } from '../load/conversation-parts.ts'
import type { LogEvent } from '../metrics/event-log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'

/** Ports of the server that conversations are recorded with. */
export interface RecordPorts {
  readonly program: string
  readonly checkpoints: CheckpointLimits
  readonly files: Files
  readonly clock: Clock
  readonly ids: Ids
  readonly redaction: Redaction
  readonly report: (fault: unknown, conversationId?: ConversationId) => void
  /** Resolves to the content of a file of a conversation, by its hash, from the store; null without one. */
  readonly content: (conversationId: ConversationId, hash: string) => Promise<Uint8Array | null>
  /** Sends a notice to every connected client. */
  readonly notify: (notice: ServerNotice) => void
  /** Undefined on a server without metrics. */
  readonly metrics: Metrics | undefined
  /** Undefined on a server without an event log. */
  readonly logEvent: LogEvent | undefined
}

/** Conversation that records, and the function that reports its faults. */
export interface OpenRecord {
  readonly conversation: Conversation
  /** Reports a fault once, however many callers report it. */
  readonly onFault: (fault: unknown) => void
  /** Right to a conversation of a store; null for other conversations. */
  readonly owner: OpenLog['owner']
  /** Releases the reader of the log and temporary folders. Called after the log is closed. */
  readonly dispose: () => void
}

/** Opens the conversation of a log. It redacts every event and side file before it is written. */
export function openRecord({ parts, log }: OpenConversation, ports: RecordPorts): OpenRecord {
  const { clock, program, redaction, notify } = ports
  const { conversationId } = parts.state.core.meta
  const onFault = reportOnce((fault) => ports.report(fault, conversationId))
  const { state, view, checkpointPlaces, headCrc, nextSeq, logVersion, readOnly } = parts
  const { journal, startJournal, owner, dispose } = log
  const conversation = new Conversation(
    { state, view, checkpointPlaces, headCrc, nextSeq, logVersion },
    {
      journal,
      ...(startJournal === undefined ? {} : { startJournal }),
      sideFiles: redactSideFiles(parts.sideFiles, redaction),
      readOnly,
    },
    { clock, program, redact: (event) => redactEvent(event, redaction.text), report: onFault, notify },
  )
  return { conversation, onFault, owner, dispose }
}
