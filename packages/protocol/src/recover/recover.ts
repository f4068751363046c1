import { utf8Length } from '@parley/text'
import { valueAt } from '../reduce/approvals.ts'
import { denialOf, interruptedCompaction, isCall, standingOutcome } from '../reduce/items.ts'
import type { Approval } from '../schema/approval.ts'
import type { CallOutput } from '../schema/call-parts.ts'
import type { ConversationEvent } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { Failure, Item } from '../schema/item.ts'
import type { ConversationCore, ConversationState, OpenItem, Turn } from '../schema/state.ts'
import { recoverHooks } from './recover-hooks.ts'

const endUnknown =
  'This was started, but the program ended before it reported; whether it finished is unknown. Check before running it again.'
const notRun = 'Not run: the conversation was interrupted before it started.'
const secretNotKept = 'secretNotKept'
const notKept =
  'Not run: there was a secret in it, which is kept in memory only, and the program has been restarted since. Ask for it again if it is still wanted.'
const notAllowed = 'Not run: the user denied this.'
const program = { clientId: 'server', name: 'parley' }

/**
 * Returns the events that settle a state after a crash: only work that waits for a person stays open. A started call
 * without a result ends as `unknown` and never runs again by itself. With `goesOn` a turn that ran stays open, too, and
 * the loop continues from the state. Items in `runningOn` run elsewhere and stay open with their turn.
 */
export function recover(
  state: ConversationState,
  goesOn = false,
  runningOn: Pick<ReadonlySet<ItemId>, 'has'> = new Set(),
): readonly ConversationEvent[] {
  const { core } = state
  const [elicitations, others] = splitElicitations(Object.values(core.approvals))
  const [forgotten, approvals] = splitForgotten(core, others)
  const waiting = approvals.filter((approval) => isAnswerable(core, approval))
  // A turn that waits for an approval, at a limit or for a key is parked; any other goes on, or ends as interrupted.
  const isParked = waiting.length > 0 || core.turn?.limit !== undefined || core.turn?.missingKey !== undefined
  const running = goesOn && !isParked && core.turn?.parked === false ? core.turn : null
  const turn = isParked ? core.turn : running
  const ending = Object.values(core.open).filter(
    (open) => !runningOn.has(open.item.id) && !isCut(open, running) && !waits(open, turn, waiting),
  )
  const calls = new Set(Object.values(core.open).flatMap((open) => (ending.includes(open) ? [] : [open.item.id])))
  const settled = ending.map((open) => ({ ...open, item: settledItem(open) }))
  const endingIds = new Set(ending.map(({ item }) => item.id))
  // Only a damaged log has approvals without their call or turn.
  const orphans = approvals.filter((approval) => !waiting.includes(approval) && !endingIds.has(approval.itemId))
  const withdrawn = [...elicitations, ...forgotten, ...orphans]
  const end = turn === null ? endTurn(core, settled) : running === null ? park(turn, withdrawn) : []
  return [
    ...elicitations.map(withdraw),
    ...forgotten.map(withdrawForgotten),
    ...settled.map(completed),
    ...orphans.map(withdraw),
    ...recoverHooks(core, { turn, calls }),
    ...end,
  ]
}

/** Separates elicitations: the MCP server that asked ended with the process, so no answer can reach it. */
function splitElicitations(approvals: readonly Approval[]): readonly [elicitations: Approval[], others: Approval[]] {
  const isElicitation = ({ kind }: Approval) => kind === 'elicitation'
  return [approvals.filter(isElicitation), approvals.filter((approval) => !isElicitation(approval))]
}

/** Separates approvals of calls with a secret: the secret was in memory only, so the calls cannot be run. */
function splitForgotten(
  { open }: ConversationCore,
  approvals: readonly Approval[],
): readonly [forgotten: Approval[], others: Approval[]] {
  const isOfForgotten = ({ itemId }: Approval) => isForgotten(valueAt(open, itemId)?.item)
  return [approvals.filter(isOfForgotten), approvals.filter((approval) => !isOfForgotten(approval))]
}

function isForgotten(item: Item | undefined): boolean {
  return item !== undefined && 'restorable' in item && item.restorable === false
}

function isAnswerable({ open, turn }: ConversationCore, { itemId, turnId }: Approval): boolean {
  const asked = valueAt(open, itemId)
  return asked !== undefined && isCall(asked.item) && turn?.id === turnId && asked.turnId === turnId
}

/** Tests if an item belongs to a response that was cut: the loop discards it before it asks the model again. */
function isCut({ item, turnId }: OpenItem, running: Turn | null): boolean {
  return running !== null && turnId === running.id && running.phase !== 'calls' && item.type !== 'contextCompaction'
}

/** Tests if an open item waits for a person. An approval after `execution.started` is for another attempt. */
function waits(open: OpenItem, turn: Turn | null, waiting: readonly Approval[]): boolean {
  const { item, executionStarted, turnId } = open
  if (turn === null || turnId !== turn.id || !isCall(item) || isForgotten(item)) return false
  if (waiting.some((approval) => approval.itemId === item.id)) return true
  return !(executionStarted || item.status === 'denied') && standingOutcome(open) === null
}

function settledItem(open: OpenItem): Item {
  const { item, executionStarted, output, progress } = open
  const standing = standingOutcome(open)
  if (standing !== null) return standing
  if (item.type === 'commandExecution' || item.type === 'shellCommand') {
    const seen = shownOutput(output, progress)
    const end = callEnd(item, executionStarted || item.type === 'shellCommand')
    return { ...item, ...end, ...(seen === null ? {} : { output: seen }) }
  }
  if (item.type === 'fileChange' || item.type === 'toolCall') return { ...item, ...callEnd(item, executionStarted) }
  // A compaction that took effect before its item closed is done.
  if (item.type === 'contextCompaction') return item.status === 'completed' ? item : interruptedCompaction(item)
  return { ...item, status: 'interrupted' }
}

interface CallEnd {
  readonly status: Item['status']
  readonly modelText: string
  readonly notRun?: true
  readonly failure?: Failure
}

/** Returns how a call ends, always with a text for the model, wherever the log was cut. */
function callEnd(item: Item, executionStarted: boolean): CallEnd {
  const { status } = item
  if (executionStarted) return { status: 'unknown', modelText: endUnknown }
  if (status === 'denied') return { status, modelText: notAllowed }
  if (isForgotten(item))
    return {
      status: 'interrupted',
      modelText: notKept,
      notRun: true,
      failure: { code: secretNotKept, message: notKept },
    }
  return { status: 'interrupted', modelText: notRun, notRun: true }
}

function shownOutput(head: string, progress: OpenItem['progress']): CallOutput | null {
  if (head === '' && progress === null) return null
  const headBytes = utf8Length(head)
  const { totalBytes, tail } = progress ?? { totalBytes: headBytes, tail: '' }
  return { head, tail, totalBytes, omittedBytes: Math.max(0, totalBytes - headBytes - utf8Length(tail)) }
}

function completed({ item, turnId }: OpenItem): ConversationEvent {
  return { type: 'item.completed', ...(turnId === null ? {} : { turnId }), item }
}

function withdraw({ id }: Approval): ConversationEvent {
  return { type: 'approval.decided', approvalId: id, decision: 'withdrawn', by: program }
}

function withdrawForgotten({ id }: Approval): ConversationEvent {
  return { type: 'approval.decided', approvalId: id, decision: 'withdrawn', note: secretNotKept, by: program }
}

function endTurn({ turn }: ConversationCore, settled: readonly OpenItem[]): ConversationEvent[] {
  if (turn === null) return []
  const denied = settled.flatMap(({ item }) => (item.status === 'denied' ? [denialOf(item)] : []))
  const { id: turnId, usage, denials } = turn
  return [
    {
      type: 'turn.ended',
      turnId,
      outcome: 'interrupted',
      stopReason: 'interrupted',
      usage,
      denials: [...denials, ...denied],
    },
  ]
}

/** Parks a turn, again after a withdrawal: deciding an approval lets its parked turn go on. */
function park({ id, parked }: Turn, withdrawn: readonly Approval[]): ConversationEvent[] {
  if (parked && !withdrawn.some((approval) => approval.turnId === id)) return []
  return [{ type: 'turn.parked', turnId: id, reason: 'The program ended while an approval waited.' }]
}
