import { findingsText } from '@parley/presentation/items/findings'
import { showEffects, stripEffects } from '@parley/presentation/text/control-characters'
import type { ConversationSummary, Envelope, Failure, Item, ItemId } from '@parley/protocol'
import { endLine, type RunEnd } from '../../cli/run-ended.ts'
import type { ResultStream } from '../output/result-stream.ts'
import { type EventWriters, writeEvent } from './event-writers.ts'
import { closingLines, itemLine, type RunFacts, retrySentence, runningLine } from './plain-lines.ts'
import { sarifOf } from './sarif.ts'

/** Output of a scripted run. Only results reach stdout. */
export interface Reporter {
  /** Called before the first event. */
  readonly opened?: ((conversation: Pick<ConversationSummary, 'cwd'>) => void) | undefined
  /** Called before a review is asked for. */
  readonly reviewing?: ((review: { readonly fromTop: (file: string) => string }) => void) | undefined
  event(envelope: Envelope): void
  problem(text: string): void
  /** Called for a line of `--input-format jsonl` that has no effect. */
  readonly rejected?: ((line: RejectedLine) => void) | undefined
  end(end: RunEnd): void
}

/** A line of stdin that has no effect; lines are counted from 1. */
export interface RejectedLine {
  readonly line: number
  readonly failure: Failure
}

export function sayRejected({ line, failure }: RejectedLine): string {
  return `Line ${line} of stdin has no effect: ${failure.message}`
}

/** Creates the reporter that writes the server's events as lines; the last line is always `run.ended`. */
export function createJsonReporter(
  stdout: Pick<ResultStream, 'line'>,
  stderr: { write(text: string): unknown },
): Reporter {
  const result = createResultReporter(stdout, stderr)
  return {
    problem: result.problem,
    end: result.end,
    event(envelope) {
      stdout.line(JSON.stringify(envelope))
      result.event(envelope)
    },
    rejected(line) {
      stdout.line(JSON.stringify({ type: 'input.rejected', ...line }))
    },
  }
}

/** Creates the reporter that writes only the line `run.ended`, and to stderr the notices of tool servers. */
export function createResultReporter(
  stdout: Pick<ResultStream, 'line'>,
  stderr: { write(text: string): unknown },
): Reporter {
  const problem = (text: string) => void stderr.write(`parley: ${showEffects(text)}\n`)
  return {
    event({ event }) {
      if (event.type === 'item.completed' && isOfToolServer(event.item)) problem(event.item.title)
    },
    problem,
    end(end) {
      if (end.failure !== null) problem(end.failure.message)
      stdout.line(endLine(end))
    },
  }
}

/** Returns true for a notice of a tool server: it concerns its configuration, not the result. */
function isOfToolServer(item: Item): boolean {
  return item.type === 'notice' && item.code.startsWith('mcp')
}

/** Creates the reporter that writes only the findings of a review, as SARIF; nothing for a failed review. */
export function createSarifReporter(
  stdout: Pick<ResultStream, 'line'>,
  stderr: { write(text: string): unknown },
  version: string,
): Reporter {
  const { event, problem } = createResultReporter(stdout, stderr)
  let fromTop = (file: string) => file
  return {
    event,
    problem,
    reviewing(review) {
      fromTop = review.fromTop
    },
    end({ failure, findings, notLookedAt = [] }) {
      if (failure !== null) stderr.write(`parley: ${showEffects(failure.message)}\n`)
      if (findings !== undefined) stdout.line(sarifOf({ findings, notLookedAt, fromTop }, version))
    },
  }
}

interface PlainOutput extends RunFacts {
  readonly stdout: Pick<ResultStream, 'line'>
  readonly stderr: { write(text: string): unknown }
  /** True for a terminal: there control sequences are removed, and the answer is not shown twice. */
  readonly onTerminal: { readonly stdout: boolean; readonly stderr: boolean }
  readonly now: () => number
}

/** Creates the reporter that writes the final message to stdout at the end, and everything else to stderr. */
export function createPlainReporter({ stdout, stderr, onTerminal, now, ...facts }: PlainOutput): Reporter {
  const progress = createProgress(stderr)
  const writers: EventWriters = {
    'item.started': ({ item }) => progress.introduce(item),
    'execution.started': ({ itemId }) => progress.begin(itemId),
    'item.delta': ({ itemId, text }) => progress.stream(itemId, text),
    'item.completed': ({ item }) => progress.finish(item),
    'item.discarded': () => progress.say('· the connection was lost; the answer starts again'),
    'retry.scheduled': (event) => progress.say(`· ${retrySentence(event, now())}`),
    'plan.updated': () => undefined,
  }

  function end(run: RunEnd): void {
    for (const line of closingLines(run, facts)) progress.say(line)
    const { answer, findings } = run
    if (findings !== undefined) stdout.line(`${findingsText(findings)}${answer === null ? '' : '\n'}`)
    const isShown = onTerminal.stdout && onTerminal.stderr
    if (answer !== null && !isShown) stdout.line((onTerminal.stdout ? stripEffects(answer) : answer).trimEnd())
  }

  return {
    event: ({ event }) => writeEvent(writers, event),
    problem: (text) => progress.say(`parley: ${text}`),
    end,
  }
}

/** Progress for people: streamed text, and lines that always start at the left edge. */
interface Progress {
  introduce(item: Item): void
  begin(itemId: ItemId): void
  stream(itemId: ItemId, text: string): void
  finish(item: Item): void
  say(text: string): void
}

function createProgress(stderr: { write(text: string): unknown }): Progress {
  const open = new Map<ItemId, Item>()
  /** Characters shown of each item: deltas may be missing, and the completed item has the rest. */
  const shown = new Map<ItemId, number>()
  let speaker: ItemId | null = null
  let isMidLine = false

  function endLine(): void {
    if (isMidLine) stderr.write('\n')
    isMidLine = false
  }

  function say(text: string): void {
    endLine()
    speaker = null
    stderr.write(`${showEffects(text)}\n`)
  }

  function stream(itemId: ItemId, text: string): void {
    if (text === '') return
    if (speaker !== itemId) changeSpeaker(itemId)
    shown.set(itemId, (shown.get(itemId) ?? 0) + text.length)
    const visible = stripEffects(text)
    stderr.write(visible)
    isMidLine = !visible.endsWith('\n')
  }

  function changeSpeaker(itemId: ItemId): void {
    const item = open.get(itemId)
    const line = item === undefined ? null : runningLine(item, shown.has(itemId))
    if (line !== null) say(line)
    else endLine()
    speaker = itemId
  }

  function finish(item: Item): void {
    open.delete(item.id)
    if (item.type === 'agentMessage') stream(item.id, item.text.slice(shown.get(item.id) ?? 0))
    const line = itemLine(item, shown.has(item.id) && speaker === item.id)
    shown.delete(item.id)
    if (line !== null) say(line)
    else endLine()
  }

  return {
    introduce(item) {
      open.set(item.id, item)
      if (item.type === 'agentMessage') stream(item.id, item.text)
    },
    begin(itemId) {
      const item = open.get(itemId)
      if (item?.type !== 'commandExecution') return
      changeSpeaker(itemId)
      shown.set(itemId, 0)
    },
    stream,
    finish,
    say,
  }
}
