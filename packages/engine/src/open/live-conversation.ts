import type { BackgroundProcesses } from '@parley/host'
import { type SessionPaths, StorageError } from '@parley/journal'
import { type ConversationSummary, shortIdOf } from '@parley/protocol'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StoragePatience } from '../conversation/storage-patience.ts'
import { storageOf } from '../conversation/storage-trouble.ts'
import type { RecoveredLine } from '../core/recovered-line.ts'
import type { Forwards } from '../forward/forwards.ts'
import type { FileHistory } from '../history/file-history.ts'
import type { WatchingHooks } from '../hooks/conversation-hooks.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'
import type { ConversationProcesses } from '../session/conversation-processes.ts'
import type { Participants } from '../session/participants.ts'
import type { ConversationSkills } from '../skills/conversation-skills.ts'
import type { TurnLoop } from '../turn/turn-loop.ts'
import type { ShellRunner } from '../turn/user-shell.ts'
import type { UserTyping } from '../turn/user-typing.ts'

/** Modules of a conversation that is open in this process, the only one that may write its log. */
export interface LiveConversation extends AsyncDisposable {
  readonly conversation: Conversation
  readonly turns: TurnLoop
  readonly roles: Roles
  /** Commands that the user runs with `!`. */
  readonly shell: ShellRunner
  readonly mcp: ConversationMcp
  readonly skills: ConversationSkills
  readonly clients: Participants
  /** Knows if the disk takes what is recorded. */
  readonly patience: StoragePatience
  /** Commands in the background, and the output of those of the user. */
  readonly processes: ConversationProcesses
  /** Way of users into commands in the background. */
  readonly typing: UserTyping
  readonly forwards: Forwards
  /** Tells if a user may work on the machine of its environment. */
  readonly mayWork: (user: string) => boolean
  /** Returns the highest limits that settings may be changed to. */
  readonly ceiling: () => Ceiling
  readonly paths: SessionPaths
  readonly opening: Opening
  /** Goes on with what runs since an earlier server ended. Called once its recovery is recorded. */
  takeUp(): void
  /** Closes it so that another server goes on with its turn and commands, where servers share it; else as disposal does. */
  handOver(): Promise<void>
}

/** Findings of the opening, for the summary. */
interface Opening {
  readonly recovered: RecoveredLine
  readonly warnings: readonly string[]
  /** Instruction files found. */
  readonly instructionFiles: readonly string[]
}

/** Modules that run work in this process. */
type Workers = Pick<LiveConversation, 'turns' | 'shell' | 'processes'>

/** Tells if work runs that ends with this process. A turn that waits for a person does not count. */
export function isBusy({ turns, shell, processes }: Workers): boolean {
  return turns.running || shell.running() || processes.running() > 0
}

/** Tells if a conversation has no participants and no running work. */
export function isLeft(live: LiveConversation): boolean {
  return !live.clients.hasGuests && !isBusy(live)
}

/** Returns the conversation if it may be changed. Throws `readOnly` for a view, `internal` after a defect. */
export function writable(open: LiveConversation): LiveConversation {
  if (open.conversation.readOnly) {
    throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
  }
  if (open.turns.defective) {
    throw rejection('internal', 'This conversation cannot go on in this process. Start parley anew and resume it.')
  }
  return open
}

export function summaryOf({ conversation, turns, opening, patience, ceiling }: LiveConversation): ConversationSummary {
  const { core } = conversation.state
  const { meta } = core
  const { sandbox, neverWithFullAccess } = ceiling()
  return {
    conversationId: meta.conversationId,
    shortId: shortIdOf(meta.conversationId),
    cwd: meta.cwd,
    title: meta.title,
    name: meta.name,
    createdAt: meta.createdAt,
    updatedAt: meta.updatedAt,
    settings: core.settings,
    activity: activityOf(conversation, turns),
    turns: core.counts.turns,
    archived: meta.archived,
    forkedFrom: meta.forkedFrom,
    readOnly: conversation.readOnly,
    recovered: opening.recovered(core),
    instructionFiles: core.context?.instructionFiles ?? [...opening.instructionFiles],
    warnings: [...opening.warnings],
    ...storageOf(patience),
    ceiling: { sandbox, neverWithFullAccess },
  }
}

function activityOf({ state }: Conversation, turns: TurnLoop): ConversationSummary['activity'] {
  const { turn, approvals } = state.core
  if (turn === null) return 'idle'
  if (turn.parked) return 'parked'
  const pending = Object.values(approvals)
  const isAsking = pending.some(({ kind }) => kind === 'elicitation')
  return isAsking || (!turns.running && pending.length > 0) ? 'waiting' : 'running'
}

interface Closing
  extends Pick<LiveConversation, 'forwards' | 'conversation' | 'turns' | 'shell' | 'clients' | 'patience'> {
  readonly background: BackgroundProcesses
  readonly limits: ConversationLimits
  readonly history: FileHistory
  readonly watching: WatchingHooks
  /** Releases the environment and the tool servers. */
  readonly leave: () => Promise<unknown>
  /** Called last. */
  readonly dispose: () => void
}

/**
 * Stops running work and releases everything. A turn that waits for a person is parked and continues when resumed; with
 * `handOver` one that runs stays open, and so does what runs where the next server finds it. Rejects with `StorageError` where accepted work could not be saved.
 */
export async function closeConversation(closing: Closing, reason: 'shutdown' | 'handOver'): Promise<void> {
  const { conversation, turns, shell, background, limits, history, watching, clients, patience, leave, dispose } =
    closing
  try {
    closing.forwards.close()
    await Promise.all([turns.shutDown(reason), shell.shutDown(reason), background.stopAll(reason)])
    await history[Symbol.asyncDispose]()
    if (reason === 'shutdown' || isWaiting(conversation)) parkQuietly(conversation)
    await watching.close()
  } finally {
    await Promise.all([leave(), limits[Symbol.asyncDispose]()])
    // Streams end last: events that wait for the disk are delivered first.
    await conversation[Symbol.asyncDispose]().finally(() => {
      clients.endDeliveries()
      dispose()
    })
  }
  if (patience.unsaved !== null) throw patience.unsaved
}

function isWaiting({ state }: Conversation): boolean {
  return Object.keys(state.core.approvals).length > 0
}

function parkQuietly(conversation: Conversation): void {
  const { turn } = conversation.state.core
  if (turn === null || turn.parked || conversation.readOnly) return
  try {
    conversation.record({ type: 'turn.parked', turnId: turn.id, reason: 'parley was closed while an approval waited.' })
  } catch (error) {
    // The next opening parks an open turn itself.
    if (!(error instanceof StorageError)) throw error
  }
}
