import { blockNotice, honoursRequests, storedFacts } from '@parley/policy'
import { type CallItem, type ConversationEvent, type ConversationState, type ItemId, isCall } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { withoutHint } from '../../core/repeated-calls.ts'
import type { PreparedCall, ReadyCall, Tool, ToolOutcome } from '../../tools/tool.ts'
import { planChanged } from '../calls/advance-call.ts'
import { secondRun } from '../calls/attempt.ts'
import type { ReplayWait } from './replay-wait.ts'
import { itemIdOf } from './compare-events.ts'
import type { ReplayedLog } from './replayed-log.ts'

interface ReplayedToolParts {
  readonly log: ReplayedLog
  readonly wait: ReplayWait
  readonly state: () => ConversationState
  /** Returns the call that the engine is about to examine. */
  readonly examined: () => ItemId | null
}

/** Returns a tool that understands calls as it always does; their facts, plans and outcomes come from the log. */
export function replayedTool(tool: Tool, parts: ReplayedToolParts): Tool {
  const { name, description, parameters, readOnly, freeform, offeredTo } = tool
  return {
    name,
    description,
    parameters,
    readOnly,
    ...(freeform === undefined ? {} : { freeform }),
    ...(offeredTo === undefined ? {} : { offeredTo }),
    prepare(args) {
      const prepared = tool.prepare(args)
      const itemId = parts.examined()
      return 'problem' in prepared || itemId === null ? prepared : replayedCall(prepared, itemId, parts)
    },
  }
}

function replayedCall(prepared: PreparedCall, itemId: ItemId, parts: ReplayedToolParts): PreparedCall {
  const { log, wait } = parts
  const reached = <Found>(look: (event: ConversationEvent) => Found | null) =>
    wait.until(() => {
      const event = log.next?.event
      return event !== undefined && itemIdOf(event) === itemId ? look(event) : null
    })
  return {
    describe: prepared.describe,
    facts: async () => {
      const found = await reached(() => factsOf(log, itemId))
      if (found === null || 'unreachable' in found) throw new EnvironmentUnreachableError(found?.unreachable ?? '')
      return found.facts
    },
    plan: async () => {
      const found = await reached((event) => planOf(event, log))
      if (found === null || 'unreachable' in found) throw new EnvironmentUnreachableError(found?.unreachable ?? '')
      if ('problem' in found) return found
      return { ...found, run: async () => (await reached((event) => outcomeOf(event, parts.state()))) ?? lost }
    },
  }
}

/** Outcome that is never used: a replay that is abandoned waits for nothing. */
const lost: ToolOutcome = { status: 'unknown', modelText: '' }

function unreachableIn(event: ConversationEvent): { readonly unreachable: string } | null {
  if (event.type !== 'item.completed' || !isCall(event.item)) return null
  const { failure, modelText = '' } = event.item
  if (failure?.code !== 'environmentUnreachable' || !modelText.startsWith('Not run: ')) return null
  return { unreachable: failure.message }
}

/** Returns the facts that the log has of a call, from its place on; null for none. */
function factsOf({ events, at }: Pick<ReplayedLog, 'events' | 'at'>, itemId: ItemId) {
  for (let index = at; index < events.length; index++) {
    const event = events[index]?.event
    if (event === undefined || itemIdOf(event) !== itemId) continue
    const unreachable = unreachableIn(event)
    if (unreachable !== null) return unreachable
    const stored = event.type === 'approval.requested' ? event.approval.facts : itemOf(event)?.facts
    const facts = storedFacts(stored)
    if (facts !== null) return { facts }
  }
  return null
}

/** Tells if the log has the facts of a call; it has none of a call whose process ended before it. */
export function hasFacts(events: ReplayedLog['events'], itemId: ItemId): boolean {
  return factsOf({ events, at: 0 }, itemId) !== null
}

function itemOf(event: ConversationEvent): CallItem | null {
  if (event.type !== 'item.completed' && event.type !== 'execution.failed') return null
  return isCall(event.item) ? event.item : null
}

type Planned =
  | Omit<ReadyCall, 'run'>
  | { readonly problem: string }
  | { readonly unreachable: string }

/** Returns the plan of a call as the log shows it: by its question, its start, or the problem that ended it. */
function planOf(event: ConversationEvent, log: ReplayedLog): Planned | null {
  const unreachable = unreachableIn(event)
  if (unreachable !== null) return unreachable
  if (event.type === 'approval.requested') {
    const { files, detail, itemId } = event.approval
    const question = files === undefined ? {} : { question: () => ({ files, detail }) }
    return { payload: payloadOf(log, itemId), ...shownOf(log, itemId), ...question }
  }
  if (event.type === 'execution.started')
    return { payload: payloadOf(log, event.itemId), ...shownOf(log, event.itemId) }
  const item = itemOf(event)
  if (item?.failure?.code === 'invalidToolCall') return { problem: item.failure.message }
  return item?.status === 'denied' ? { payload: '', ...shownOf(log, item.id) } : null
}

/**
 * Returns a payload that changes where the log says that the plan had changed since the yes. The exact one is not in the
 * log: it names folders by their identity.
 */
function payloadOf({ events, at }: ReplayedLog, itemId: ItemId): string {
  const changes = events
    .slice(0, at + 1)
    .filter(
      ({ event }) =>
        event.type === 'approval.requested' &&
        event.approval.itemId === itemId &&
        event.approval.reason.startsWith(planChanged),
    )
  return `${itemId} ${changes.length}`
}

/** Returns the fields of an item that its plan showed. */
function shownOf({ events, at }: ReplayedLog, itemId: ItemId): Pick<ReadyCall, 'shown'> {
  for (let index = at; index < events.length; index++) {
    const event = events[index]?.event
    if (event === undefined || itemIdOf(event) !== itemId) continue
    if (event.type === 'execution.started' && event.changes !== undefined) return { shown: { changes: event.changes } }
    const item = itemOf(event)
    if (item?.type === 'commandExecution') return { shown: { cwd: item.cwd } }
    if (item?.type === 'fileChange') return { shown: { changes: item.changes } }
  }
  return {}
}

/** Returns the outcome of a run that the log has next, without what the engine adds to it. */
function outcomeOf(event: ConversationEvent, state: ConversationState): ToolOutcome | null {
  const item = itemOf(event)
  if (item === null) return null
  const { status, failure } = item
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  return {
    status: status === 'completed' || status === 'failed' || status === 'interrupted' ? status : 'unknown',
    modelText: withoutAdditions(item, state),
    fields: fieldsOf(item),
    ...(failure === undefined ? {} : { failure }),
    ...(block === undefined ? {} : { recordedBlock: block }),
  }
}

/** Returns the text of an outcome without the sentences that the engine adds: it has to add the same ones again. */
function withoutAdditions(item: CallItem, { core }: ConversationState): string {
  const plain = withoutHint(item.modelText ?? '')
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  const mayAsk = honoursRequests(core.settings.approvalPolicy)
  const notice = block === undefined ? '' : `\n${blockNotice(block, { mayAsk, checkedPaths: [] })}`
  const unblocked = plain.endsWith(notice) ? plain.slice(0, plain.length - notice.length) : plain
  const second = item.attempt === 2 ? `\n${secondRun}` : ''
  return unblocked.endsWith(second) ? unblocked.slice(0, unblocked.length - second.length) : unblocked
}

function fieldsOf(item: CallItem): NonNullable<ToolOutcome['fields']> {
  switch (item.type) {
    case 'commandExecution': {
      const { exitCode, signal, output, background, images } = item
      return {
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
        ...(output === undefined ? {} : { output }),
        ...(background === undefined ? {} : { background }),
        ...(images === undefined ? {} : { images }),
      }
    }
    case 'fileChange':
      return { changes: item.changes, text: item.text }
    case 'toolCall':
      return {
        text: item.text,
        ...(item.output === undefined ? {} : { output: item.output }),
        ...(item.images === undefined ? {} : { images: item.images }),
      }
  }
}
