import { resolve } from 'node:path'
import { showEffects } from '@parley/presentation/text/control-characters'
import {
  type AnswerMessages,
  answerAfter,
  answerText,
  type CallItem,
  type ConversationEvent,
  type ConversationId,
  type Envelope,
  type FileChangeEntry,
  type Item,
  type ItemOf,
  type TokenCounts,
  type TurnId,
} from '@parley/protocol'
import { argumentsOf, outputText, setsPlan, toolOwner } from '@parley/protocol/calls'
import { joinShellWords } from '@parley/text'
import { exitCodes } from '../../../cli/exit-codes.ts'
import type { RunEnd } from '../../../cli/run-ended.ts'
import { createPlanAnswers } from '../../answers/plan-answer.ts'
import type { ResultStream } from '../../output/result-stream.ts'
import { type EventWriters, writeEvent } from '../event-writers.ts'
import { retrySentence, whyNoAnswer } from '../plain-lines.ts'
import type { Reporter } from '../reporter.ts'
import { type CallStatus, createItemLines, type ItemBody, type ThreadEvent, type ThreadUsage } from './thread-events.ts'

type AgentMessage = ItemOf<'agentMessage'>

interface CodexOutput {
  readonly stdout: Pick<ResultStream, 'line'>
  readonly stderr: { write(text: string): unknown }
  readonly now: () => number
}

/**
 * Creates the reporter that writes the lines of the Codex SDK. The last line is `turn.completed` or `turn.failed`,
 * unless SIGTERM or SIGHUP ends the run.
 */
export function createCodexReporter({ stdout, stderr, now }: CodexOutput): Reporter {
  const write = (event: ThreadEvent) => stdout.line(JSON.stringify(event))
  const items = createItemLines(write)
  const answers = createAnswers((item) => items.finish(item.id, finishedBody(item, cwd)))
  const plans = createPlanAnswers()
  let turnId: TurnId | null = null
  let cwd = ''
  /** Problems reported before `thread.started`, which the SDK expects first; null afterwards. */
  let held: string[] | null = []

  function writeProblem(message: string): void {
    answers.finish()
    items.whole({ type: 'error', message })
  }

  function startThread(id: ConversationId): void {
    if (held === null) return
    write({ type: 'thread.started', thread_id: id })
    flush()
    write({ type: 'turn.started' })
  }

  function flush(): void {
    const messages = held ?? []
    held = null
    for (const message of messages) writeProblem(message)
  }

  const writers: EventWriters = {
    'item.started': ({ item }) => items.know(item),
    'item.delta': () => undefined,
    'item.completed'({ item }) {
      if (item.type !== 'agentMessage') items.finish(item.id, finishedBody(item, cwd))
    },
    'item.discarded': () => undefined,
    'execution.started': (event) => items.begin(event.itemId, (item) => begunBody(withChanges(item, event), cwd)),
    'plan.updated': ({ plan }) => items.plan(plan),
    'retry.scheduled': (event) => write({ type: 'error', message: retrySentence(event, now()) }),
  }

  return {
    opened(conversation) {
      cwd = conversation.cwd
    },
    event({ conversationId, event }: Envelope) {
      plans.note(event)
      if (event.type === 'turn.started') {
        turnId = event.turnId
        startThread(conversationId)
      }
      // Events of an older turn that is closed first do not belong to this one.
      else if (held === null) {
        answers.note(event)
        writeEvent(writers, event)
      }
    },
    problem(message) {
      if (held === null) writeProblem(message)
      else held.push(message)
    },
    end(end) {
      flush()
      answers.finish()
      items.closePlan()
      const plan = turnId === null ? null : plans.of(turnId)
      if (plan !== null) items.whole({ type: 'agent_message', text: plan })
      if (end.exitCode === exitCodes.ok) return write({ type: 'turn.completed', usage: usageOf(end.usage) })
      const message = whyNoAnswer(end)
      for (const event of endOf(end, message)) write(event)
      // The SDK quotes stderr when the exit code is not 0.
      stderr.write(`parley: ${showEffects(message)}\n`)
    },
  }
}

/** Returns the last lines of a run without an answer. */
function endOf({ exitCode }: RunEnd, message: string): readonly ThreadEvent[] {
  // The SDK stops a run by SIGTERM, and rejects with its AbortError unless `turn.failed` comes before.
  if (exitCode === exitCodes.sigterm) return []
  return [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ]
}

/** Joins messages of one answer, behind text about pictures: the SDK takes the last message for the answer. */
function createAnswers(write: (message: AgentMessage) => void) {
  let messages: AnswerMessages<AgentMessage> = []
  function finish(): void {
    const last = messages.at(-1)
    const text = answerText(messages) ?? ''
    for (const message of messages) if (message.images !== undefined && !text.includes(message.text)) write(message)
    if (last !== undefined) write({ ...last, text })
    messages = []
  }
  return {
    finish,
    /** Holds a message until an event shows that no further text continues it. */
    note(event: ConversationEvent): void {
      const item = event.type === 'item.completed' && event.item.type === 'agentMessage' ? event.item : null
      if (item?.continues !== true) finish()
      if (item !== null) messages = answerAfter(messages, item)
    },
  }
}

function withChanges(item: Item, { changes }: Extract<ConversationEvent, { type: 'execution.started' }>): Item {
  return item.type === 'fileChange' && changes !== undefined ? { ...item, changes } : item
}

function usageOf(usage: RunEnd['usage']): ThreadUsage {
  const {
    inputTokens = 0,
    cachedInputTokens = 0,
    outputTokens = 0,
    reasoningTokens = 0,
  }: Partial<TokenCounts> = usage ?? {}
  return {
    input_tokens: inputTokens,
    cached_input_tokens: cachedInputTokens,
    // No supported provider counts these.
    cache_write_input_tokens: 0,
    output_tokens: outputTokens,
    reasoning_output_tokens: reasoningTokens,
  }
}

/** Returns the body of a started call; null for items that have only a completed line. */
function begunBody(item: Item, cwd: string): ItemBody | null {
  switch (item.type) {
    case 'commandExecution':
      return { ...commandBody(item), aggregated_output: '', exit_code: null, status: 'in_progress' }
    case 'fileChange':
      return { type: 'file_change', changes: changedFiles(item.changes, cwd), status: 'in_progress' }
    case 'toolCall':
      return toolCallBody(item, 'in_progress')
    default:
      return null
  }
}

/** Returns the body of a completed item; null for items without a line. */
function finishedBody(item: Item, cwd: string): ItemBody | null {
  switch (item.type) {
    case 'agentMessage':
      return textBody('agent_message', item.text)
    case 'reasoning':
      return textBody('reasoning', item.text)
    case 'commandExecution':
      return commandBody(item)
    case 'fileChange':
      return { type: 'file_change', changes: changedFiles(item.changes, cwd), status: statusOf(item) }
    case 'toolCall':
      return toolCallBody(item, statusOf(item))
    case 'notice':
      // An error that ends the turn has a line of its own.
      return item.level === 'warning' ? { type: 'error', message: item.title } : null
    default:
      return null
  }
}

function textBody(type: 'agent_message' | 'reasoning', text: string): ItemBody | null {
  return text.trim() === '' ? null : { type, text }
}

function commandBody(item: ItemOf<'commandExecution'>): Extract<ItemBody, { type: 'command_execution' }> {
  const { command, output, exitCode = null, status } = item
  return {
    type: 'command_execution',
    command: joinShellWords(command),
    aggregated_output: output === undefined ? '' : outputText(output),
    exit_code: exitCode,
    status: status === 'denied' ? 'declined' : statusOf(item),
  }
}

function changedFiles(changes: readonly FileChangeEntry[], cwd: string) {
  return changes.map(({ path, kind }) => ({ path: resolve(cwd, path), kind }))
}

function statusOf({ status }: CallItem): CallStatus {
  return status === 'completed' ? 'completed' : 'failed'
}

/** Returns the body of a call of an MCP tool, or of an own tool with server `parley`; null for the plan. */
function toolCallBody(item: ItemOf<'toolCall'>, status: CallStatus): ItemBody | null {
  const { modelText = '', failure } = item
  if (setsPlan(item)) return null
  const problem = failure?.message ?? modelText
  return {
    type: 'mcp_tool_call',
    ...toolOwner(item),
    arguments: argumentsOf(item),
    result: status === 'completed' ? { content: [{ type: 'text', text: modelText }], structured_content: null } : null,
    error: status === 'failed' ? { message: problem } : null,
    status,
  }
}
