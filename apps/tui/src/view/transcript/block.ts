import type { CallItem, Item, ItemOf } from '@parley/protocol'
import { stripEffects } from '../text/control-characters.ts'
import { formatDuration } from '../text/formats.ts'
import { indented, textRows } from '../text/gutter.ts'
import type { Line, Room, Span, Tone } from '../text/span.ts'

/** Kind of a transcript block; consecutive look-ups and notices have no blank row between them. */
export type BlockKind = 'user' | 'message' | 'reasoning' | 'call' | 'lookUp' | 'notice' | 'plan' | 'report'

/** Finished part of the transcript: printed once, never changed. */
export interface Block {
  readonly kind: BlockKind
  readonly lines: readonly Line[]
}

const close: ReadonlySet<BlockKind> = new Set(['lookUp', 'reasoning', 'notice'])

/** Returns the blank row before a block of this kind, if any. */
export function gapBefore(last: BlockKind | null, kind: BlockKind): readonly Line[] {
  return last === null || (last === kind && close.has(kind)) ? [] : [[]]
}

/** Returns the row that names another client as author. `author` is plain text; null for this client. */
export function authorRows(author: string | null, room: Room): readonly Line[] {
  return author === null ? [] : indented(textRows(`from ${author}`, room, { tone: 'muted' }))
}

/** Returns the state of a call as spans to show after its title. */
export function callFacts(item: CallItem | ItemOf<'shellCommand'>): readonly Span[] {
  return joinedFacts([ending(item), rights(item), duration(item)])
}

/** Returns the rights that a call had beyond others, as spans to show after its title. */
export function rightsFacts(item: CallItem): readonly Span[] {
  return joinedFacts([rights(item)])
}

function joinedFacts(facts: readonly (Span | null)[]): readonly Span[] {
  return facts.flatMap((fact): readonly Span[] => (fact === null ? [] : [{ text: ' · ', tone: 'muted' }, fact]))
}

/** Returns the tone of a call's mark. */
export function callTone({ status }: CallItem | ItemOf<'shellCommand'>): Tone {
  if (status === 'completed') return 'good'
  if (status === 'failed' || status === 'unknown') return 'bad'
  return status === 'denied' || status === 'interrupted' ? 'warn' : 'accent'
}

function ending(item: CallItem | ItemOf<'shellCommand'>): Span | null {
  switch (item.status) {
    case 'denied':
      return { text: 'not run', tone: 'warn' }
    case 'interrupted':
      return { text: hasRun(item) ? 'interrupted' : 'not run', tone: 'warn' }
    case 'unknown':
      return { text: 'it is not known whether this finished', tone: 'bad' }
    case 'inProgress':
      return { text: 'running', tone: 'muted' }
    default:
      return exit(item)
  }
}

/** Returns false for a call that Esc ended before it started, which must not look interrupted midway. */
function hasRun({ durationMs }: CallItem | ItemOf<'shellCommand'>): boolean {
  return durationMs !== undefined
}

function exit(item: CallItem | ItemOf<'shellCommand'>): Span | null {
  if (item.type === 'commandExecution' && item.background) return { text: 'started in the background', tone: 'muted' }
  if ('signal' in item && item.signal !== undefined)
    return { text: `ended by ${stripEffects(item.signal)}`, tone: 'bad' }
  const code = 'exitCode' in item ? item.exitCode : undefined
  if (typeof code === 'number') return { text: `exit ${code}`, tone: code === 0 ? 'muted' : 'bad' }
  return item.status === 'failed' ? { text: 'failed', tone: 'bad' } : null
}

function rights(item: CallItem | ItemOf<'shellCommand'>): Span | null {
  const words = rightsWords(item)
  return words === null ? null : { text: words, tone: 'warn' }
}

function duration({ durationMs }: CallItem | ItemOf<'shellCommand'>): Span | null {
  return durationMs === undefined ? null : { text: formatDuration(durationMs), tone: 'muted' }
}

/** Returns the note given with a denial, or the rule that denied. */
export function answerNote({ status, decision }: CallItem): string | null {
  if (decision === undefined) return null
  const answer = decision.note === undefined || decision.note === '' ? null : noteWords(status, decision.note)
  const denied = status === 'denied' && decision.approvalId === undefined ? decision.reason : null
  const note = [answer, denied].filter((part) => part !== null).join(' · ')
  return note === '' ? null : stripEffects(note)
}

function noteWords(status: CallItem['status'], note: string): string {
  return status === 'denied' ? `denied · “${note}”` : `the model was told: ${note}`
}

/**
 * Returns what the call could do beyond the sandbox and the writable folders, whoever allowed it. Null if it had no more
 * rights than others, did not run, or is no call of the model.
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
function hasStarted({ status, durationMs, failure }: Item & { readonly type: 'commandExecution' }): boolean {
  if (failure !== undefined && neverStarted.has(failure.code)) return false
  return status === 'inProgress' || status === 'unknown' || durationMs !== undefined
}

/** Failure codes from before the command started. */
const neverStarted: ReadonlySet<string> = new Set(['spawnFailed', 'sandboxFailed', 'invalidToolCall'])
