import { type ConversationEvent, type EventOf, type Item, type ItemId, isCall, permits } from '@parley/protocol'

/** Facts of the whole conversation that a compaction carries, oldest first. */
export interface PastFacts {
  /** A line for each denied call, and for each answer with a note. */
  readonly answers: readonly string[]
  readonly files: { readonly read: readonly string[]; readonly changed: readonly string[] }
}

/** State of the fold, changed in place. */
export interface PastFold {
  readonly answers: string[]
  readonly read: Set<string>
  readonly changed: Set<string>
  readonly asked: Map<string, { readonly itemId: ItemId; readonly title: string }>
}

/** Lines of each list; older ones are left to the summary. */
const keptLines = 60

export function emptyPast(): PastFold {
  return { answers: [], read: new Set(), changed: new Set(), asked: new Map() }
}

export function foldPast(past: PastFold, event: ConversationEvent): void {
  if (event.type === 'approval.requested') {
    const { id, itemId, title } = event.approval
    past.asked.set(id, { itemId, title })
  } else if (event.type === 'approval.decided') noteAnswer(past, event)
  else if (event.type === 'item.completed') noteCall(past, event.item)
}

export function pastFacts({ answers, read, changed }: PastFold): PastFacts {
  return {
    answers: newestLines(answers),
    files: { read: newestLines(read).filter((path) => !changed.has(path)), changed: newestLines(changed) },
  }
}

/** Returns the lines that are carried; of older ones nothing depends. */
export function newestLines(lines: Iterable<string>): string[] {
  return [...lines].slice(-keptLines)
}

/** Notes an answer that says more than yes. A denial is noted with its call, which also has the denials by rules. */
function noteAnswer({ answers, asked }: PastFold, { approvalId, decision, note }: EventOf<'approval.decided'>): void {
  const question = asked.get(approvalId)
  asked.delete(approvalId)
  if (question === undefined || note === undefined || !permits(decision)) return
  answers.push(`approved: ${quoted(question.title)} (the user: ${oneLine(note)})`)
}

function noteCall({ answers, read, changed }: PastFold, item: Item): void {
  if (!isCall(item)) return
  if (item.status === 'denied') answers.push(`not run: ${quoted(item.title)} (${oneLine(whyDenied(item))})`)
  if (item.status !== 'completed') return
  if (item.type === 'fileChange')
    for (const { path, movedTo } of item.changes) renew(changed, movedTo === undefined ? path : movedTo)
  else for (const path of pathsRead(item)) renew(read, path)
}

function whyDenied({ decision }: Extract<Item, { type: 'toolCall' | 'commandExecution' | 'fileChange' }>): string {
  if (decision?.verdict !== 'ask') return `denied: ${decision?.reason ?? 'a rule'}`
  return decision.note === undefined ? 'the user denied this' : `the user denied this and said: ${decision.note}`
}

/** Returns the single files that a call read, by its facts. */
function pathsRead(item: Extract<Item, { type: 'toolCall' | 'commandExecution' }>): readonly string[] {
  const paths: unknown = item.facts?.['kind'] === 'read' ? item.facts['paths'] : undefined
  if (!Array.isArray(paths)) return []
  return paths.flatMap((one: unknown) => (isFile(one) ? [one.path] : []))
}

function isFile(value: unknown): value is { readonly path: string } {
  if (typeof value !== 'object' || value === null || !('path' in value) || typeof value.path !== 'string') return false
  return !('recursive' in value) || value.recursive !== true
}

/** Moves a path to the end: the newest ones are kept. */
function renew(paths: Set<string>, path: string): void {
  // A line of its own in the name of a file could pass for an answer of the user.
  const line = path.replace(/[\s\p{Cc}]/gu, (one) => (one === ' ' ? one : encodeURIComponent(one)))
  paths.delete(line)
  paths.add(line)
}

/** Quotes words of the model, so that they cannot pass for the user's answer behind them. */
function quoted(title: string): string {
  return JSON.stringify(oneLine(title))
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 400 ? `${line.slice(0, 400)}…` : line
}
