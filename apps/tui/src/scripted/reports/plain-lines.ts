import { rightsWords, talkText } from '@parley/presentation/items/call-facts'
import { visibleLine } from '@parley/presentation/text/control-characters'
import { formatDuration } from '@parley/presentation/text/formats'
import { type CallItem, type EventOf, type Item, shortIdOf } from '@parley/protocol'
import { ruleSource } from '@parley/protocol/question'
import { asSentence, exitWords } from '@parley/text'
import { exitCodes } from '../../cli/exit-codes.ts'
import type { RunEnd } from '../../cli/run-ended.ts'
import { denialWords } from '../end/run-end.ts'

/** Returns the line above the streamed text of an item; null for the answer. */
export function runningLine(item: Item, isAgain: boolean): string | null {
  if (item.type === 'reasoning') return '· thinking'
  if (item.type === 'contextCompaction') return `· ${visibleLine(item.title)}`
  if (item.type !== 'commandExecution') return null
  return `$ ${visibleLine(item.title)}${isAgain ? ' (more)' : ''}`
}

/** Returns the line about a finished item, or null. `isBelow`: it follows the item's own text directly. */
export function itemLine(item: Item, isBelow: boolean): string | null {
  switch (item.type) {
    case 'userMessage':
      return item.ofChecks === true ? `· ${visibleLine(item.title)}` : null
    case 'commandExecution':
      return isBelow ? `→ ${howItEnded(item)}` : `$ ${visibleLine(item.title)} → ${howItEnded(item)}`
    case 'fileChange':
      return `± ${visibleLine(item.title)}${noteOn(item)}`
    case 'toolCall':
      return [`· ${visibleLine(item.title)}${noteOn(item)}`, talkText(item)?.text ?? ''].join('\n').trimEnd()
    case 'contextCompaction':
      return `${item.status === 'completed' ? '·' : '!'} ${visibleLine(item.title)}`
    case 'notice':
      return item.level === 'info' ? `· ${item.title}` : `! ${item.title}`
    default:
      return null
  }
}

function howItEnded(item: Extract<Item, { type: 'commandExecution' }>): string {
  const rights = rightsWords(item)
  return `${ending(item)}${rights === null ? '' : `, ${rights}`}`
}

function ending(item: Extract<Item, { type: 'commandExecution' }>): string {
  const { status, exitCode, signal, durationMs, failure } = item
  if (status !== 'completed' && status !== 'failed') return statusWords(item)
  const after = durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`
  // The time limit has sent the signal.
  if (failure?.code === 'timedOut') return `stopped at its time limit${after}`
  if (signal !== undefined) return `killed by ${signal}${after}`
  if (exitCode === undefined || exitCode === null) return statusWords(item)
  return `${exitWords(exitCode)}${after}`
}

function noteOn(item: CallItem): string {
  return item.status === 'completed' ? '' : ` → ${statusWords(item)}`
}

function statusWords(item: CallItem): string {
  if (item.status === 'denied') return `not run: ${whyDenied(item)}`
  const reason = item.failure?.message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''
  return reason === '' ? item.status : `${item.status}: ${reason}`
}

/** Returns the reason with the rule, which the user has to change to allow the call. */
function whyDenied({ decision }: CallItem): string {
  if (decision === undefined) return 'denied'
  const { verdict, reason, rule } = decision
  return `${verdict === 'ask' ? 'nobody to ask; ' : ''}${reason} [${ruleSource(rule)}]`
}

/** Returns one line with the reason of a run without an answer. */
export function whyNoAnswer(run: RunEnd): string {
  const { failure } = run
  const cause = failure?.message ?? noAnswer
  return [cause, denied(run)].filter((words) => words !== null).join(' ')
}

const noAnswer = 'The turn ended without an answer.'

export interface RunFacts {
  /** Flags of checks, as they are typed: the next run needs them, too. */
  readonly repeated: string
  /** Flags that name the server, as they are typed. */
  readonly server: string
  /** False with `--ephemeral`. */
  readonly isKept: boolean
  /** A review keeps its limits whatever is set, and is requested again instead of continued. */
  readonly isReview: boolean
}

/** Returns the last lines of a plain run: denied requests, the reason without an answer, and how to resume. */
export function closingLines(run: RunEnd, facts: RunFacts): string[] {
  const { isKept, isReview } = facts
  const words = [isReview ? null : denied(run), reason(run)].filter((line) => line !== null)
  return [...words, ...(isKept && !isReview ? goOn(run, facts) : [])].map((line) => `parley: ${line}`)
}

/** Ways to allow a denied request. Rules cannot allow the network, destructive commands or leaving the sandbox. */
const waysOut =
  'Ways out: rules in a --policy file (ordinary commands, unless the approval policy is never),' +
  ' -c sandbox_workspace_write.network_access=true (the network), -s danger-full-access -a never (no limits but rules that deny).'

function denied({ denials }: RunEnd): string | null {
  if (denials.length === 0) return null
  return `${denialWords(denials.length)}. ${waysOut}`
}

/** Returns why there is no answer; null for a failed turn, because its transcript has the reason, and for a signal. */
function reason({ exitCode, outcome, failure }: RunEnd): string | null {
  if (exitCode === exitCodes.ok || exitCode === exitCodes.sigint || exitCode === exitCodes.sigterm) return null
  return outcome === 'failed' ? null : (failure?.message ?? noAnswer)
}

function goOn({ exitCode, conversationId, failure }: RunEnd, { repeated, server }: RunFacts): string[] {
  if (exitCode === exitCodes.ok || exitCode === exitCodes.storage || conversationId === null) return []
  const id = shortIdOf(conversationId)
  const named = failure?.refused?.seqs.length ?? 0
  const saved = `The conversation is saved. Go on with: parley exec${named > 0 ? ' --repair' : ''} resume ${id}${repeated}${server} "…"`
  // Without a name from the provider, only a person can choose the content to remove.
  if (failure?.refused === undefined || named > 0) return [saved]
  return [saved, `Where that is refused as well: parley resume ${id}${server} opens a window; type /repair half there.`]
}

export function retrySentence(
  { retryAt, failure, attempt, attempts }: EventOf<'retry.scheduled'>,
  nowMs: number,
): string {
  return `${asSentence(failure.message)} Trying again in ${formatDuration(retryAt - nowMs)} (attempt ${attempt}${attempts === undefined ? '' : ` of ${attempts}`}).`
}
