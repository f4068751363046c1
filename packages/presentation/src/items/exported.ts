import { type CompletedItem, type ConversationState, unansweredApprovals } from '@parley/protocol'
import { countOf } from '../text/formats.ts'

/** Conversation as it is written to a file for others: redacted again, all of its items, oldest first. */
export interface Exported {
  readonly core: ConversationState['core']
  readonly items: readonly CompletedItem[]
  /** Number of events that are left out because the log is damaged. */
  readonly damagedEvents: number
  /** Name and version of the program that writes it. */
  readonly program: string
  /** Time of writing, in ms since the epoch. */
  readonly writtenAt: number
  /** Times as documents have them, which are read in other time zones: `2026-11-23 06:30 UTC`. */
  readonly times: { readonly begun: string; readonly written: string }
}

/** Module of the page that writes it as a document without scripts. */
export interface FrozenPage {
  /** Returns the pieces of the document, in order. */
  readonly frozenPage: (exported: Exported) => Iterable<string>
}

/** Returns the sentences about gaps of a document: damaged events, and work that had not ended when it was written. */
export function missingWords({ core, damagedEvents }: Pick<Exported, 'core' | 'damagedEvents'>): readonly string[] {
  const unfinished = unfinishedWords(core)
  const left = `${countOf(damagedEvents, 'event')} of the log ${damagedEvents === 1 ? 'is' : 'are'} damaged and left out.`
  return [...(damagedEvents === 0 ? [] : [left]), ...(unfinished === null ? [] : [unfinished])]
}

function unfinishedWords(core: Exported['core']): string | null {
  const { turn } = core
  if (turn === null) return null
  return unansweredApprovals(core).length > 0
    ? 'A question was waiting for an answer when this was written.'
    : `A turn was ${turn.parked ? 'waiting to go on' : 'running'} when this was written; what had not ended is left out.`
}
