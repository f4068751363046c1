import type { CallItem, Item, ItemOf, OpenItem } from '@parley/protocol'
import { planWords } from '@parley/protocol/question'
import { exitWords } from '@parley/text'
import { stripEffects } from '../text/control-characters.ts'
import { formatDuration } from '../text/formats.ts'
import type { Span, Tone } from '../text/span.ts'

type AnyCall = CallItem | ItemOf<'shellCommand'>

/** Returns what must be said of a call besides its words: how it failed, its rights, and a long time. */
export function callFacts(item: AnyCall): readonly Span[] {
  return joinedFacts([ending(item), rights(item), duration(item)])
}

/** Returns the rights that a call had beyond others, as spans to show after its title. */
export function rightsFacts(item: CallItem): readonly Span[] {
  return joinedFacts([rights(item)])
}

/** Returns the facts with a dot between. */
function joinedFacts(facts: readonly (Span | null)[]): readonly Span[] {
  return facts
    .filter((fact) => fact !== null)
    .flatMap((fact, index): readonly Span[] => (index === 0 ? [fact] : [{ text: ' · ', tone: 'muted' }, fact]))
}

/** Returns the tone of a call's mark: only what failed, was not run, or is running has a colour. */
export function callTone({ status }: AnyCall): Tone {
  if (status === 'completed') return 'muted'
  if (status === 'failed' || status === 'unknown') return 'bad'
  return status === 'denied' || status === 'interrupted' ? 'warn' : 'accent'
}

/** Returns the command of a call as one can run it. */
export function commandOf(item: ItemOf<'commandExecution' | 'shellCommand'>): string {
  return item.type === 'shellCommand' ? item.command : item.text || item.title
}

/** Words for a call that has ended, that runs, and that was not carried out. */
export interface Verbs {
  readonly done: string
  readonly doing: string
  readonly not: string
}

/** Returns the word before the title of a call. */
export function callVerb(item: AnyCall, { done, doing, not }: Verbs): string {
  if (item.status === 'denied' || (item.status === 'interrupted' && !hasRun(item)) || isUnstarted(item)) return not
  return isOver.has(item.status) ? done : doing
}

const isOver: ReadonlySet<AnyCall['status']> = new Set(['completed', 'failed', 'interrupted', 'unknown'])

function ending(item: AnyCall): Span | null {
  if (item.status === 'interrupted') return hasRun(item) ? { text: 'interrupted', tone: 'warn' } : null
  if (item.status === 'unknown') return { text: 'it is not known whether this finished', tone: 'bad' }
  return item.status === 'completed' || item.status === 'failed' ? exit(item) : null
}

/** Returns true for an item that streams or runs, including a call that asks the user while it runs. */
export function isRunning({ item, executionStarted }: OpenItem): boolean {
  return item.status === 'inProgress' || (item.status === 'awaitingApproval' && executionStarted)
}

/** Returns false for a call that Esc ended before it started, which must not look interrupted midway. */
function hasRun({ durationMs }: AnyCall): boolean {
  return durationMs !== undefined
}

function exit(item: AnyCall): Span | null {
  if (item.type === 'commandExecution' && item.background) return { text: 'in the background', tone: 'muted' }
  if (item.failure?.code === 'timedOut') return { text: '✗ time limit', tone: 'bad' }
  if ('signal' in item && item.signal !== undefined)
    return { text: `✗ ended by ${stripEffects(item.signal)}`, tone: 'bad' }
  const code = 'exitCode' in item ? item.exitCode : undefined
  if (typeof code === 'number' && code !== 0) return { text: `✗ ${exitWords(code)}`, tone: 'bad' }
  return item.status === 'failed' ? { text: '✗ failed', tone: 'bad' } : null
}

function rights(item: AnyCall): Span | null {
  const words = rightsWords(item)
  return words === null ? null : { text: words, tone: 'warn' }
}

/** Duration in ms from which a call that succeeded says how long it took. */
const longMs = 1_000

function duration({ durationMs, status }: AnyCall): Span | null {
  if (durationMs === undefined || (durationMs < longMs && status === 'completed')) return null
  return { text: formatDuration(durationMs), tone: 'muted' }
}

/** Returns the note given with a denial, or the rule that denied. */
export function answerNote({ status, decision, facts }: CallItem): string | null {
  // A plan says it itself.
  if (decision === undefined || (facts?.['kind'] === 'proposal' && status === 'completed')) return null
  const answer = decision.note === undefined || decision.note === '' ? null : noteWords(status, decision.note)
  const denied = status === 'denied' && decision.approvalId === undefined ? decision.reason : null
  const note = [answer, denied].filter((part) => part !== null).join(' · ')
  return note === '' ? null : stripEffects(note)
}

function noteWords(status: CallItem['status'], note: string): string {
  return status === 'denied' ? `denied · “${note}”` : `the model was told: ${note}`
}

/**
 * Returns the rights that a call had beyond the sandbox and the writable folders. Null if it had no such rights, did
 * not run, or is no call of the model.
 */
export function rightsWords(item: Item): string | null {
  if (item.type === 'commandExecution') return hasStarted(item) ? commandRights(item) : null
  if (item.status !== 'completed') return null
  if (item.type === 'fileChange') return patchRights(item)
  return item.type === 'toolCall' && someOf(item.facts?.['paths'], 'secret', true) ? 'where secrets are kept' : null
}

function commandRights({ decision }: ItemOf<'commandExecution'>): string | null {
  const { limits } = decision ?? {}
  if (limits?.sandbox === 'none' || limits?.sandbox === 'danger-full-access') return 'outside the sandbox'
  return limits?.network === true ? 'with network' : null
}

function patchRights({ facts, decision }: ItemOf<'fileChange'>): string | null {
  const files = facts?.['files']
  if (someOf(files, 'insideRoots', false)) return 'outside the writable folders'
  if (Array.isArray(files) && files.some((file) => typeof fieldOf(file, 'protectedBy') === 'string'))
    return 'a protected file'
  return decision?.rule.name === 'builtin:patch-read-only' ? 'in read-only mode' : null
}

function someOf(list: unknown, name: string, value: boolean): boolean {
  return Array.isArray(list) && list.some((entry) => fieldOf(entry, name) === value)
}

function fieldOf(entry: unknown, name: string): unknown {
  return typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined
}

/** Returns false for a command denied, waiting or stopped before it began: it has a decision but ran nothing. */
function hasStarted(item: ItemOf<'commandExecution'>): boolean {
  const { status, durationMs } = item
  if (isUnstarted(item)) return false
  return status === 'inProgress' || status === 'unknown' || durationMs !== undefined
}

function isUnstarted({ failure }: AnyCall): boolean {
  return failure !== undefined && neverStarted.has(failure.code)
}

/** Failure codes from before the command started. */
const neverStarted: ReadonlySet<string> = new Set(['spawnFailed', 'sandboxFailed', 'invalidToolCall'])

/** Text of a call that asked the user: a whole plan as Markdown, or the words that a form was not answered. */
export interface TalkText {
  readonly kind: 'plan' | 'unanswered'
  readonly text: string
}

/** Returns the talk of a finished call that asked its user; null for other calls. */
export function talkText(item: CallItem | ItemOf<'shellCommand'>): TalkText | null {
  if (item.type !== 'toolCall' || item.status !== 'completed') return null
  const { facts, text, decision } = item
  if (facts?.['kind'] === 'proposal') return { kind: 'plan', text: planText(text, decision) }
  // Answers are the output of the call.
  if (facts?.['kind'] !== 'question' || decision?.answer === 'approved') return null
  return { kind: 'unanswered', text: 'not answered' }
}

/** Returns the plan with the answer that sent it back; the call itself adds a mode that was chosen. */
function planText(text: string, decision: CallItem['decision']): string {
  if (decision?.answer !== 'denied') return text
  const { note = '' } = decision
  return `${text}\n\n→ ${planWords.plan}${note === '' ? '' : `: ${note}`}`
}
