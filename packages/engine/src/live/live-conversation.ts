import type { SessionPaths } from '@parley/journal'
import { type ConversationSummary, shortIdOf } from '@parley/protocol'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { storageOf } from '../conversation/storage-trouble.ts'
import type { RecoveredLine } from '../core/recovered-line.ts'
import type { Forwards } from '../forward/forwards.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'
import type { ConversationProcesses } from '../session/conversation-processes.ts'
import type { Participants } from '../session/participants.ts'
import type { ConversationSkills } from '../skills/conversation-skills.ts'
import type { TurnLoop } from '../turn/turn-loop.ts'
import type { ShellRunner } from '../turn/user-shell.ts'
import type { UserTyping } from '../turn/user-typing.ts'

/** Modules that run work in this process. */
interface Workers {
  readonly turns: TurnLoop
  /** Commands that the user runs with `!`. */
  readonly shell: ShellRunner
  /** Commands in the background, and the output of the user's commands. */
  readonly processes: ConversationProcesses
}

/** Begin and end of a conversation in this process. */
export interface Lifetime extends AsyncDisposable {
  /** Goes on with work that runs since an earlier server ended. Called once its recovery is recorded. */
  takeUp(): void
  /** Closes it so that another server goes on with its turn and commands, where servers share it; else as disposal does. */
  handOver(): Promise<void>
}

/** Modules of a conversation that is open in this process, the only one that may write its log. */
export interface LiveConversation extends Workers, Lifetime {
  readonly conversation: Conversation
  readonly roles: Roles
  readonly mcp: ConversationMcp
  readonly skills: ConversationSkills
  readonly clients: Participants
  /** Writes input of users to commands in the background. */
  readonly typing: UserTyping
  readonly forwards: Forwards
  /** Tells if a user may work on the machine of its environment. */
  readonly mayWork: (user: string) => boolean
  /** Returns the highest limits that settings may be changed to. */
  readonly ceiling: () => Ceiling
  readonly paths: SessionPaths
  readonly opening: OpeningFindings
}

/** Findings of the opening, for the summary. */
interface OpeningFindings {
  readonly recovered: RecoveredLine
  readonly warnings: readonly string[]
  /** Instruction files found. */
  readonly instructionFiles: readonly string[]
}

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

export function summaryOf({ conversation, turns, opening, ceiling }: LiveConversation): ConversationSummary {
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
    ...storageOf(conversation.storageRetry),
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
