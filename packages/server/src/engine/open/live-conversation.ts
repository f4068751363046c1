import type { SessionPaths } from '@parley/journal'
import type { ConversationSummary } from '@parley/protocol'
import type { Presence } from '../clients/participants.ts'
import type { ShellRunner } from '../commands/user-shell.ts'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { Bench } from '../turn/turn-context.ts'
import type { Driver } from '../turn/turn-loop.ts'

/** A conversation that this process holds: the only one that may write it. */
export interface OpenConversation extends AsyncDisposable {
  readonly conversation: Conversation
  readonly driver: Driver
  readonly bench: Bench
  /** One line, when opening it had to settle what a crash left. */
  readonly recovered: string | null
  readonly warnings: readonly string[]
  /** AGENTS.md files found when it was opened. */
  readonly instructionFiles: readonly string[]
  readonly backgroundProcesses: () => number
  /** Clients that stream it now, so that an approval can name who may answer. */
  readonly watchers: Set<string>
  readonly shell: ShellRunner
  readonly mcp: ConversationMcp
  readonly limits: ConversationLimits
  readonly paths: SessionPaths
  /** How to end each delivery of its events. */
  readonly streams: Set<() => void>
  readonly presence: Presence
  /** The most that its settings may be changed to. */
  readonly ceiling: () => Ceiling
}

/** Something runs in it that ends with this process. What waits for a person does not: it is there when resumed. */
export function isBusy({ conversation, driver, backgroundProcesses }: OpenConversation): boolean {
  if (driver.running || backgroundProcesses() > 0) return true
  return Object.values(conversation.state.core.open).some(({ item }) => item.type === 'shellCommand')
}

/** Nobody takes part in it and nothing runs in it. */
export function isLeft(open: OpenConversation): boolean {
  return open.presence.guests.size === 0 && !isBusy(open)
}

/** Last 8 hex digits: the first ones of a UUIDv7 are the clock. */
export function shortIdOf(conversationId: string): string {
  return conversationId.slice(-8)
}

export function summaryOf({
  conversation,
  driver,
  recovered,
  warnings,
  instructionFiles,
}: OpenConversation): ConversationSummary {
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
    activity: activityOf(conversation, driver),
    turns: core.counts.turns,
    archived: meta.archived,
    forkedFrom: meta.forkedFrom,
    readOnly: conversation.readOnly,
    recovered,
    instructionFiles: core.context?.instructionFiles ?? [...instructionFiles],
    warnings: [...warnings],
  }
}

function activityOf({ state }: Conversation, driver: Driver): ConversationSummary['activity'] {
  const { turn, approvals } = state.core
  if (turn === null) return 'idle'
  if (turn.parked) return 'parked'
  const pending = Object.values(approvals)
  const isAsking = pending.some(({ kind }) => kind === 'elicitation')
  return isAsking || (!driver.running && pending.length > 0) ? 'waiting' : 'running'
}
