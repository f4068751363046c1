import {
  copyLog,
  type Files,
  forkHeader,
  type LogLine,
  LogView,
  lineCrc,
  linkSideFiles,
  newestLine,
  type SessionPaths,
  writeLines,
  writeWholeLog,
} from '@parley/journal'
import {
  type Approval,
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  isCall,
  recover,
  reduce,
  type Settings,
  standingOutcome,
} from '@parley/protocol'
import { parleyItself } from '../conversation/notices.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { asCopyOf } from '../people/share.ts'
import { noConversation, rejection } from '../replies/rejection.ts'
import type { GivenLimits } from '../settings/given-limits.ts'
import { resumeChanges } from '../settings/resume-changes.ts'
import type { LoadedConversation } from './conversation-parts.ts'
import type { RescuedLog } from './rescue-log.ts'

interface Fork {
  readonly from: SessionPaths
  readonly to: SessionPaths
  readonly fromId: ConversationId
  readonly toId: ConversationId
  /** Last event to copy; null for all of them. */
  readonly at: number | null
  readonly home: string
  /** Version of program and fold, which a checkpoint is copied for. */
  readonly key: string
}

/** Source and maker of a copy. */
export interface Copy {
  readonly fromId: ConversationId
  readonly from: SessionPaths
  readonly forkId: ConversationId
  /** Last event to copy; null for all of them. */
  readonly at: number | null
  /** Settings of an original that is open in this process; else null. */
  readonly settings: Settings | null
  /** Events of an original with a log that others have changed; else null. */
  readonly rescued: RescuedLog | null
  /** Events at its end that name the omitted messages; empty by default. */
  readonly leftOut: readonly ConversationEvent[]
  readonly guest: Guest
}

/** Copies a log up to a point with its numbers, item ids and side files. Throws `itemNotFound` for an unknown point. */
export async function forkLog(files: Files, { from, to, fromId, toId, at, home, key }: Fork): Promise<void> {
  if (files.look(from.log) === null) throw noConversation(fromId)
  using source = LogView.open(files, from.log)
  const last = at === null ? source.read(newestLine) : lineWith(source, at)
  if (last === null) throw noEvent(fromId, at, source.read(newestLine)?.seq ?? 0)
  await linkSideFiles(files, from.sideFiles, to.sideFiles)
  const header = forkHeader(toId, { id: fromId, seq: last.seq, crc: lineCrc(last) }, source.header())
  await copyLog(files, { from, to, header, endOffset: last.endOffset, key, home })
}

function lineWith(source: LogView, seq: number): LogLine | null {
  for (const line of source.lines({ after: seq - 1 })) return line.seq === seq ? line : null
  return null
}

/** Writes the events of a log that others have changed, up to a point, as the log of a fork. */
export async function forkRescued(files: Files, fork: Fork, { header, lines }: RescuedLog): Promise<void> {
  const { from, to, fromId, toId, at, home } = fork
  const kept = at === null ? lines : lines.slice(0, at)
  const last = kept.at(-1)
  if (last === undefined || (at !== null && last.seq !== at)) throw noEvent(fromId, at, lines.length)
  await linkSideFiles(files, from.sideFiles, to.sideFiles)
  const forked = forkHeader(toId, { id: fromId, seq: last.seq, crc: last.crc }, header)
  const texts = kept.map(({ text }) => text)
  await writeWholeLog(files, { path: to.log, header: forked, home }, (log) => writeLines(files, log, texts))
}

/** Returns a copy as it opens. It belongs to its maker before its log says so; recovery is a matter of the original. */
export function loadedCopy(loaded: LoadedConversation, guest: Guest): LoadedConversation {
  return { ...loaded, state: asCopyOf(loaded.begin.fold.state, guest), recovery: [] }
}

function noEvent(fromId: ConversationId, at: number | null, newest: number) {
  const text = `Conversation ${fromId} has no event ${at ?? 1}; its newest is ${newest}.`
  return rejection('itemNotFound', text, { newest })
}

/** Origin of a copy, which selects the note of its withdrawn calls. */
type CopyOrigin = 'forked' | 'imported'

const notRun: Readonly<Record<CopyOrigin, string>> = {
  forked: 'Not run: this conversation was forked before the question was answered.',
  imported: 'Not run: this conversation was imported from a bundle, where no answer counts.',
}

/**
 * Returns the events that close open work at the point of a fork: approvals and waiting messages belong to the
 * original. The outcome of a running call that asked a question is unknown here.
 */
export function forkCleanup(state: ConversationState, note: CopyOrigin): readonly ConversationEvent[] {
  const { approvals, inbox } = state.core
  const left: ConversationEvent[] = [
    ...Object.values(approvals)
      .filter(({ kind }) => kind !== 'elicitation')
      .flatMap((approval) => denyAsked(state, approval, note)),
    ...inbox.map(({ messageId }): ConversationEvent => ({ type: 'message.removed', messageId, by: parleyItself })),
  ]
  return [...left, ...recover(foldAll(state, left))]
}

interface ImportTerms extends Omit<Parameters<typeof resumeChanges>[2], 'by' | 'given'> {
  /** Folder of this machine. */
  readonly cwd: string
  /** Returns the limits of a conversation without grants of a user: a bundle carries no grants. */
  readonly given: (here: ConversationState) => GivenLimits
}

/** Returns the events that bring a conversation from a bundle to a folder and to the limits of this machine. */
export function importedEvents(
  state: ConversationState,
  { cwd, given, home, ceiling, newItemId, secrets }: ImportTerms,
): readonly ConversationEvent[] {
  const moved = { type: 'conversation.moved', cwd, local: true, by: parleyItself } as const
  const here = foldAll(state, [moved])
  const changes = resumeChanges(here, {}, { home, ceiling, newItemId, secrets, by: parleyItself, given: given(here) })
  return [...forkCleanup(state, 'imported'), moved, ...changes]
}

function denyAsked(
  { core }: ConversationState,
  { id: approvalId, itemId, turnId }: Approval,
  note: CopyOrigin,
): ConversationEvent[] {
  const decided = { type: 'approval.decided', approvalId, decision: 'withdrawn', note, by: parleyItself } as const
  const open = core.open[itemId]
  const standing = open === undefined ? null : standingOutcome(open)
  if (standing !== null) return [decided, { type: 'item.completed', turnId, item: standing }]
  const item = open?.item
  if (item === undefined || !isCall(item)) return [decided]
  return [decided, { type: 'item.completed', turnId, item: { ...item, status: 'denied', modelText: notRun[note] } }]
}

/** Length of the part of a name that a copy keeps; a name may have 200 characters. */
const keptName = 180

/**
 * Returns the event that gives a copy its own name, so that the name of the original finds only the original. `names`
 * are in use. Returns no event for a conversation without a name.
 */
export function ownName(
  { core }: ConversationState,
  names: ReadonlySet<string>,
  { evenIfFree }: { readonly evenIfFree: boolean },
): ConversationEvent[] {
  const { name } = core.meta
  if (name === null || (!evenIfFree && !names.has(name))) return []
  const stem = name
    .replace(/-fork(?:-\d+)?$/, '')
    .slice(0, keptName)
    .toWellFormed()
  let copy = `${stem}-fork`
  for (let count = 2; names.has(copy); count++) copy = `${stem}-fork-${count}`
  return [{ type: 'conversation.renamed', name: copy, by: parleyItself }]
}

function foldAll(state: ConversationState, events: readonly ConversationEvent[]): ConversationState {
  const { conversationId } = state.core.meta
  return events.reduce(
    (folded, event) => reduce(folded, { conversationId, seq: folded.core.seq + 1, at: 0, event }),
    state,
  )
}
