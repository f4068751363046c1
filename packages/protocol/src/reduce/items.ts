import type { Envelope, EventOf } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { CallItem, Item, ItemOf } from '../schema/item.ts'
import type { CompletedItem, ConversationCore, ConversationState, OpenItem, Turn } from '../schema/state.ts'
import { answeredDecision, approvalsWithout, valueAt, without } from './approvals.ts'
import { reduceBackground } from './background.ts'
import { noteCheck } from './checks.ts'
import { compactionEnded, compactionStarted } from './compactions.ts'
import { chainDigest } from './digest.ts'
import { withoutHookOf, withoutMomentsOf } from './hooks.ts'
import { rememberRequest, takeFromInbox } from './turns.ts'

/** Number of completed items that a state holds. */
export const windowLimit = 200
/** Length in code points, so that no character is cut in half. */
const titleLength = 80

type ItemEvent = EventOf<
  | 'item.started'
  | 'item.delta'
  | 'item.progress'
  | 'execution.started'
  | 'execution.failed'
  | 'item.completed'
  | 'item.discarded'
>

export function reduceItem(state: ConversationState, event: ItemEvent, envelope: Envelope): ConversationState {
  switch (event.type) {
    case 'item.completed':
      return completeItem(state, event, envelope)
    case 'item.started':
      return { ...state, core: startItem(state.core, event, envelope.seq) }
    case 'item.discarded':
      return { ...state, core: discardItem(state.core, event.itemId) }
    case 'item.delta':
    case 'item.progress':
    case 'execution.started':
    case 'execution.failed':
      return { ...state, core: changeOpenItem(state.core, event) }
  }
}

function startItem(core: ConversationCore, { item, turnId }: EventOf<'item.started'>, seq: number): ConversationCore {
  const opened: OpenItem = { item, turnId: turnId ?? null, output: '', progress: null, executionStarted: false }
  const started = { ...core, open: { ...core.open, [item.id]: opened }, turn: countCall(core.turn, item) }
  const noted = item.type === 'contextCompaction' ? compactionStarted(started, item) : started
  return rememberStart(noted, { item, turnId: turnId ?? null, seq })
}

/** Records the command or compaction that a client started with a key. */
function rememberStart(
  core: ConversationCore,
  { item, ...at }: { item: Item; turnId: Turn['id'] | null; seq: number },
): ConversationCore {
  if (item.type !== 'shellCommand' && item.type !== 'contextCompaction') return core
  const { id: itemId, requestKey: key } = item
  return key === undefined ? core : rememberRequest(core, { key, ...at, disposition: 'started', itemId })
}

function discardItem(core: ConversationCore, itemId: ItemId): ConversationCore {
  const left = withoutMomentsOf(core, itemId)
  return { ...left, open: without(core.open, itemId), approvals: approvalsWithout(core.approvals, itemId) }
}

function countCall(turn: ConversationCore['turn'], item: Item): ConversationCore['turn'] {
  return turn !== null && isCall(item) ? { ...turn, calls: turn.calls + 1 } : turn
}

/** Tells whether an item is a call of the model, which gets a result in the next request. */
export function isCall(item: Item): item is CallItem {
  return item.type === 'commandExecution' || item.type === 'fileChange' || item.type === 'toolCall'
}

type ChangingEvent = EventOf<'item.delta' | 'item.progress' | 'execution.started' | 'execution.failed'>

function changeOpenItem(core: ConversationCore, event: ChangingEvent): ConversationCore {
  const open = valueAt(core.open, event.itemId)
  if (open === undefined) return core
  const changed = { ...core, open: { ...core.open, [event.itemId]: changedItem(open, event, core.approvals) } }
  return event.type === 'execution.started' || event.type === 'execution.failed'
    ? { ...changed, approvals: approvalsWithout(core.approvals, event.itemId) }
    : changed
}

function changedItem(open: OpenItem, event: ChangingEvent, approvals: ConversationCore['approvals']): OpenItem {
  switch (event.type) {
    case 'execution.started':
      return {
        ...open,
        executionStarted: true,
        item: executingItem(open.item, event),
        ...decisionToStart(event, approvals),
      }
    case 'execution.failed':
      // The next attempt has output of its own.
      return {
        ...open,
        executionStarted: false,
        item: event.item,
        failedExecution: event.item,
        output: '',
        progress: null,
      }
    case 'item.progress':
      return { ...open, progress: { totalBytes: event.totalBytes, tail: event.tail } }
    case 'item.delta':
      return isSpoken(open.item)
        ? { ...open, item: { ...open.item, text: open.item.text + event.text } }
        : { ...open, output: open.output + event.text }
  }
}

/** Returns the decision that started a call: a rule, or an answer that the state still holds. */
function decisionToStart(
  { decidedBy, limits }: EventOf<'execution.started'>,
  approvals: ConversationCore['approvals'],
): Pick<OpenItem, 'decision'> {
  const limited = limits === undefined ? {} : { limits }
  if (!('approvalId' in decidedBy)) return { decision: { verdict: 'allow', ...decidedBy, ...limited } }
  const approval = valueAt(approvals, decidedBy.approvalId)
  return approval === undefined ? {} : { decision: { ...answeredDecision(approval), ...limited } }
}

function executingItem(item: Item, { changes }: EventOf<'execution.started'>): Item {
  if (item.type === 'commandExecution') return { ...withoutOutcome(item), status: 'inProgress' }
  if (item.type === 'fileChange' && changes !== undefined) return { ...item, status: 'inProgress', changes }
  return { ...item, status: 'inProgress' }
}

/** Removes the outcome of the previous attempt from a command. */
export function withoutOutcome(item: ItemOf<'commandExecution'>): ItemOf<'commandExecution'> {
  if (item.modelText === undefined) return item
  const {
    modelText: _modelText,
    hints: _hints,
    notRun: _notRun,
    failure: _failure,
    durationMs: _duration,
    exitCode: _exitCode,
    signal: _signal,
    output: _output,
    images: _images,
    sandboxBlock: _sandboxBlock,
    ...command
  } = item
  return command
}

function isSpoken(item: Item): boolean {
  return item.type === 'agentMessage' || item.type === 'reasoning' || item.type === 'contextCompaction'
}

function completeItem(
  state: ConversationState,
  event: EventOf<'item.completed'>,
  { seq, at }: Envelope,
): ConversationState {
  const { item } = event
  const completed = completedBy(event, { seq, at })
  const { core } = state
  const settled: ConversationCore = {
    ...core,
    meta: { ...core.meta, updatedAt: at, title: core.meta.title || titleIn(item) },
    open: without(core.open, item.id),
    approvals: approvalsWithout(core.approvals, item.id),
    turn: withoutHookOf(noteCheck(noteSkill(noteCalls(noteDenial(core.turn, item), event), item), item), item.id),
    counts: { ...core.counts, items: core.counts.items + 1 },
    digest: chainDigest(core.digest, item),
  }
  const running = reduceBackground(withoutMomentsOf(settled, item.id), item, { at })
  const isCompaction = item.type === 'contextCompaction' && item.leftOut === undefined
  const noted = isCompaction ? compactionEnded(running, item) : running
  return { core: rememberMessage(noted, item, seq), window: [...state.window.slice(1 - windowLimit), completed] }
}

/** Returns the finished item of an `item.completed`, as a state holds it. */
export function completedBy(
  { item, turnId }: EventOf<'item.completed'>,
  { seq, at }: Pick<Envelope, 'seq' | 'at'>,
): CompletedItem {
  return { seq, at, turnId: turnId ?? null, item }
}

function rememberMessage(core: ConversationCore, item: Item, seq: number): ConversationCore {
  if (item.type !== 'userMessage' || item.messageId === undefined) return core
  const taken = takeFromInbox(core, item.messageId)
  return rememberRequest(taken, { key: item.messageId, seq, turnId: core.turn?.id ?? null, disposition: 'started' })
}

function noteDenial(turn: ConversationCore['turn'], item: Item): ConversationCore['turn'] {
  return turn === null || item.status !== 'denied' ? turn : { ...turn, denials: [...turn.denials, denialOf(item)] }
}

/** Records the calls of a message; the turn makes them next. */
function noteCalls(
  turn: ConversationCore['turn'],
  { item, turnId }: EventOf<'item.completed'>,
): ConversationCore['turn'] {
  if (turn === null || turn.id !== turnId || item.type !== 'userMessage' || item.calls === undefined) return turn
  return { ...turn, toMake: [...(turn.toMake ?? []), ...item.calls] }
}

/** Records a skill that names tools, until the turn ends. */
function noteSkill(turn: ConversationCore['turn'], item: Item): ConversationCore['turn'] {
  if (turn === null || item.type !== 'toolCall' || item.skill?.allowedTools === undefined) return turn
  const { name, allowedTools } = item.skill
  const others = (turn.skills ?? []).filter((skill) => skill.name !== name)
  return { ...turn, skills: [...others, { name, allowedTools }] }
}

/** Returns the outcome of a failed attempt until the next one starts; else null. */
export function standingOutcome({ failedExecution, executionStarted }: OpenItem): Item | null {
  return failedExecution === undefined || executionStarted ? null : failedExecution
}

/** Returns the item of a compaction that was stopped or cut off. It changed nothing; half a summary is not kept. */
export function interruptedCompaction(item: ItemOf<'contextCompaction'>): ItemOf<'contextCompaction'> {
  return { ...item, status: 'interrupted', title: 'Not compacted: interrupted', text: '' }
}

/** Returns the entry of a denied call in its turn's `denials`. */
export function denialOf(item: Item): Turn['denials'][number] {
  const reason = 'decision' in item && item.decision !== undefined ? (item.decision.note ?? item.decision.reason) : ''
  return { itemId: item.id, title: item.title, reason }
}

function titleIn(item: Item): string {
  return item.type === 'userMessage' ? titleOf(item.text) : ''
}

/** Returns the title of a conversation from the text of its first message: the first line, at most 80 characters. */
export function titleOf(text: string): string {
  const line = [...(text.trim().split('\n', 1)[0] ?? '')]
  return line.length > titleLength ? `${line.slice(0, titleLength - 1).join('')}…` : line.join('')
}
