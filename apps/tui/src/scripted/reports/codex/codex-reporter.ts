import { showEffects } from '@parley/presentation/text/control-characters'
import {
  type AnswerMessages,
  answerAfter,
  answerText,
  type ConversationEvent,
  type ConversationId,
  type Envelope,
  type Item,
  type ItemOf,
  type TokenCounts,
  type TurnId,
} from '@parley/protocol'
import { exitCodes } from '../../../cli/exit-codes.ts'
import type { RunEnd } from '../../../cli/run-ended.ts'
import { createPlanAnswers } from '../../answers/plan-answer.ts'
import type { ResultStream } from '../../output/result-stream.ts'
import { type EventWriters, writeEvent } from '../event-writers.ts'
import { retrySentence, whyNoAnswer } from '../plain-lines.ts'
import type { Reporter } from '../reporter.ts'
import { begunBody, finishedBody } from './item-body.ts'
import { createItemLines, type ThreadEvent, type ThreadUsage } from './thread-events.ts'

type AgentMessage = ItemOf<'agentMessage'>

interface CodexOutput {
  readonly stdout: Pick<ResultStream, 'line'>
  readonly stderr: { write(text: string): unknown }
  readonly now: () => number
}

/**
 * Creates the reporter that writes the lines of the Codex SDK. The last one is `turn.completed` or `turn.failed`,
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
