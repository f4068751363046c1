import { isDeepStrictEqual } from 'node:util'
import type { CallItem, ConversationEvent, ConversationState, ItemId, OpenItem } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { resultWithout } from '../../core/view/hints.ts'
import type { PreparedCall, ReadyCall, Tool, ToolOutcome } from '../../tools/contract/tool.ts'
import { itemIdOf } from '../log/compare-events.ts'
import { eventsFrom, type LogPosition } from '../log/read-recording.ts'
import { factsOf, itemOf, unreachableIn } from '../log/recorded-calls.ts'
import type { ReplayWait } from '../log/replay-wait.ts'
import type { ReplayPosition } from '../log/replayed-log.ts'

interface ReplayedToolParts {
  readonly log: ReplayPosition
  readonly wait: ReplayWait
  readonly state: () => ConversationState
  /** Returns the call that the engine is about to examine. */
  readonly examined: () => ItemId | null
  /** Called when a call begins to run. */
  readonly onRun: (itemId: ItemId) => void
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
      const found = await reached((event) => planOf(event, log, parts.state()))
      if (found === null || 'unreachable' in found) throw new EnvironmentUnreachableError(found?.unreachable ?? '')
      if ('problem' in found) return found
      return {
        ...found,
        async run() {
          parts.onRun(itemId)
          return (await reached(outcomeOf)) ?? lost
        },
      }
    },
  }
}

/** Outcome that is never used: a replay that is abandoned waits for nothing. */
const lost: ToolOutcome = { status: 'unknown', modelText: '' }

type Planned = Omit<ReadyCall, 'run'> | { readonly problem: string } | { readonly unreachable: string }

/** Returns the plan of a call as the log shows it: by its question, its start, or the problem that ended it. */
function planOf(event: ConversationEvent, log: ReplayPosition, { core }: ConversationState): Planned | null {
  const unreachable = unreachableIn(event)
  if (unreachable !== null) return unreachable
  if (event.type === 'approval.requested') {
    const { files, detail, itemId, command, cwd, form } = event.approval
    const question = files === undefined ? {} : { question: () => ({ files, detail }) }
    const shown = command === undefined ? shownOf(log, itemId) : { shown: { cwd } }
    return { payload: payloadOf(log, itemId), ...shown, ...question, ...(form === undefined ? {} : { form }) }
  }
  if (event.type === 'execution.started')
    return { payload: payloadOf(log, event.itemId), ...shownOf(log, event.itemId) }
  const item = itemOf(event)
  if (item?.failure?.code === 'invalidToolCall') {
    const { message: problem } = item.failure
    // A patch that was planned shows it: the question about it was the problem.
    const isPlanned = item.type === 'fileChange' && !isDeepStrictEqual(item.changes, openChanges(core.open[item.id]))
    return isPlanned ? { payload: '', shown: { changes: item.changes }, question: () => ({ problem }) } : { problem }
  }
  // A call that was stopped before it was planned waits for the stop.
  return item === null || item.status === 'interrupted' ? null : { payload: '', ...shownOf(log, item.id) }
}

/**
 * Returns a payload that changes where the log says that the plan had changed since the yes. The exact one is not in the
 * log: it names folders by their identity.
 */
function payloadOf({ events, at }: LogPosition, itemId: ItemId): string {
  const changes = events
    .slice(0, at + 1)
    .filter(
      ({ event }) =>
        event.type === 'approval.requested' &&
        event.approval.itemId === itemId &&
        event.approval.askedAgain === 'planChanged',
    )
  return `${itemId} ${changes.length}`
}

function openChanges(open: OpenItem | undefined) {
  return open?.item.type === 'fileChange' ? open.item.changes : []
}

/** Returns the fields of an item that its plan showed. */
function shownOf(log: ReplayPosition, itemId: ItemId): Pick<ReadyCall, 'shown'> {
  for (const event of eventsFrom(log)) {
    if (itemIdOf(event) !== itemId) continue
    if (event.type === 'execution.started' && event.changes !== undefined) return { shown: { changes: event.changes } }
    const item = itemOf(event)
    if (item?.type === 'commandExecution') return { shown: { cwd: item.cwd } }
    if (item?.type === 'fileChange') return { shown: { changes: item.changes } }
  }
  return {}
}

/** Sentences that come with the outcome of a run. The engine adds all others again. */
const ofTheRun = 'writtenThrough'

/** Returns the next outcome of a run in the log, without the sentences that the engine adds. */
function outcomeOf(event: ConversationEvent): ToolOutcome | null {
  const item = itemOf(event)
  if (item === null) return null
  const { status, notRun, failure } = item
  const hints = (item.hints ?? []).filter(({ about }) => about === ofTheRun)
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  return {
    status: status === 'completed' || status === 'failed' || status === 'interrupted' ? status : 'unknown',
    modelText: resultWithout(item, (about) => about !== ofTheRun),
    hints,
    ...(notRun === undefined ? {} : { notRun }),
    fields: fieldsOf(item),
    ...(failure === undefined ? {} : { failure }),
    ...(block === undefined ? {} : { recordedBlock: block }),
  }
}

function fieldsOf(item: CallItem): NonNullable<ToolOutcome['fields']> {
  switch (item.type) {
    case 'commandExecution':
      return commandFieldsOf(item)
    case 'fileChange':
      return { changes: item.changes, text: item.text }
    case 'toolCall':
      return {
        text: item.text,
        ...(item.output === undefined ? {} : { output: item.output }),
        ...(item.images === undefined ? {} : { images: item.images }),
        ...(item.skill === undefined ? {} : { skill: item.skill }),
      }
  }
}

function commandFieldsOf(item: Extract<CallItem, { type: 'commandExecution' }>): NonNullable<ToolOutcome['fields']> {
  const { exitCode, signal, output, background, backgroundStart, images } = item
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(output === undefined ? {} : { output }),
    ...(background === undefined ? {} : { background }),
    ...(backgroundStart === undefined ? {} : { backgroundStart }),
    ...(images === undefined ? {} : { images }),
  }
}
