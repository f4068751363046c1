import type { SessionPaths } from '@parley/journal'
import type { ConversationSummary } from '@parley/protocol'
import type { Participants } from '../clients/participants.ts'
import type { ShellRunner } from '../commands/user-shell.ts'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { shortIdOf } from '../read/list-conversations.ts'
import type { TurnModules } from '../turn/turn-context.ts'
import type { TurnLoop } from '../turn/turn-loop.ts'

/** Modules of a conversation that is open in this process, the only one that may write its log. */
export interface LiveConversation extends AsyncDisposable {
  readonly conversation: Conversation
  readonly turns: TurnLoop
  readonly modules: TurnModules
  /** Commands that the user runs with `!`. */
  readonly shell: ShellRunner
  readonly mcp: ConversationMcp
  readonly clients: Participants
  /** Returns the number of background processes that run. */
  readonly backgroundProcesses: () => number
  /** Returns the highest limits that settings may be changed to. */
  readonly ceiling: () => Ceiling
  readonly paths: SessionPaths
  readonly opening: Opening
}

/** Findings of the opening, for the summary. */
interface Opening {
  /** One line about what a crash left; null when there was nothing to recover. */
  readonly recovered: string | null
  readonly warnings: readonly string[]
  /** AGENTS.md files found. */
  readonly instructionFiles: readonly string[]
}

/** Tells if work runs that ends with this process. A turn that waits for a person does not count. */
function isBusy({ conversation, turns, backgroundProcesses }: LiveConversation): boolean {
  if (turns.running || backgroundProcesses() > 0) return true
  return Object.values(conversation.state.core.open).some(({ item }) => item.type === 'shellCommand')
}

/** Tells if a conversation has no participants and no running work. */
export function isLeft(live: LiveConversation): boolean {
  return live.clients.guests.size === 0 && !isBusy(live)
}

export function summaryOf({ conversation, turns, opening }: LiveConversation): ConversationSummary {
  const { core } = conversation.state
  const { meta } = core
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
    recovered: opening.recovered,
    instructionFiles: core.context?.instructionFiles ?? [...opening.instructionFiles],
    warnings: [...opening.warnings],
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
