import type { Copied, Judgement } from '@parley/engine'
import type { Comparison, Extent } from '@parley/engine/shared-store'
import { type ConversationId, shortIdOf } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'

/** Result for one conversation. */
export interface Outcome {
  readonly conversationId: ConversationId
  readonly result: 'copied' | 'would copy' | 'the same' | 'refused' | 'differs' | 'waiting' | 'store only' | 'here only'
  /** Sentence for people; empty where the counts say all. */
  readonly detail: string
  readonly compared: Comparison | null
}

/** Tells what came of a copy that was not refused with an error. */
export function outcomeOfCopy(
  conversationId: ConversationId,
  { judged, compared }: Copied,
  isDryRun: boolean,
): Outcome {
  const about = { conversationId, compared }
  if (judged.kind === 'refused') return { ...about, result: 'refused', detail: judged.reason }
  if (isDryRun)
    return { ...about, result: judged.kind === 'copy' ? 'would copy' : 'the same', detail: wordsFor(judged, compared) }
  const fault = faultOf(compared)
  if (fault !== null) return { ...about, result: 'differs', detail: fault }
  return { ...about, result: judged.kind === 'copy' ? 'copied' : 'the same', detail: wordsFor(judged, compared) }
}

/** Returns the extent of a copy; empty for a whole log, since its line has the counts. */
function wordsFor(judged: Judgement, { stored, here }: Comparison): string {
  if (judged.kind !== 'copy' || judged.bytes === 0 || judged.bytes === (stored ?? here)?.bytes) return ''
  return `${judged.lines} lines, ${formatBytes(judged.bytes)}`
}

/** Tells the outcome of a comparison. A log that is longer on one side is no fault while a server writes it. */
export function outcomeOfVerify(conversationId: ConversationId, compared: Comparison): Outcome {
  const about = { conversationId, compared }
  const { stored, here } = compared
  const fault = faultOf(compared)
  if (fault !== null) return { ...about, result: 'differs', detail: fault }
  if (stored === null) return { ...about, result: 'here only', detail: '' }
  if (compared.unsent !== null) return { ...about, result: 'waiting', detail: unsentWords(compared.unsent) }
  return { ...about, result: here === null ? 'store only' : 'the same', detail: lagOf(stored, here) }
}

function unsentWords({ fromLine, lines }: NonNullable<Comparison['unsent']>): string {
  return `this machine has ${lines} more lines, from line ${fromLine}, that the store never acknowledged and nobody was shown; nothing is lost: a server that runs here sends them, else they are kept aside when it opens the conversation`
}

function lagOf(stored: Extent, here: Extent | null): string {
  if (here === null || stored.bytes === here.bytes) return ''
  const more = stored.lines - here.lines
  return more > 0 ? `the store has ${more} more lines` : `this machine has ${-more} more lines`
}

/** Returns the fault as a sentence; null where both logs are the same as far as both go. */
function faultOf({ stored, here, partsAtLine, unsent, badFiles, isListed, lostBytes }: Comparison): string | null {
  if (partsAtLine !== null) return `Line ${partsAtLine} is another one here than in the store.`
  const isWhole = unsent === null && stored !== null && here !== null && stored.bytes === here.bytes
  if (isWhole && stored.hash !== here.hash) return 'The hashes of both logs are not the same.'
  if (lostBytes > 0)
    return `The store has lost the last ${formatBytes(lostBytes)} of it, which it had acknowledged. This machine has them: close it, then copy it --to the store.`
  const [bad] = badFiles
  if (bad !== undefined) {
    const where = bad.where === 'store' ? 'in the store' : 'here'
    return `${badFiles.length} side files are missing or changed, the first of them ${where}: ${bad.name}.`
  }
  if (stored !== null && !isListed) return 'It is not listed in the store, so no server opens it: copy it again.'
  return null
}

export function lineOf({ conversationId, result, detail, compared }: Outcome): string {
  const extent = compared?.stored ?? compared?.here ?? null
  const counts =
    extent === null
      ? ''
      : `${extent.lines} lines, ${extent.sideFiles} side files, ${formatBytes(extent.bytes)}, sha256 ${extent.hash.slice(0, 16)}${damageOf(extent)}`
  const parts = [shortIdOf(conversationId), result.padEnd(10), counts, detail].filter((part) => part !== '')
  return `${parts.join('  ')}\n`
}

function damageOf({ damagedLines }: Extent): string {
  return damagedLines === 0 ? '' : `, ${damagedLines} lines damaged`
}

/** Counts the outcomes: `copied 3, the same 1, refused 1`. */
export function summaryOf(outcomes: readonly Outcome[]): string {
  const counts = Map.groupBy(outcomes, ({ result }) => result)
  const words = [...counts].map(([result, each]) => `${result} ${each.length}`)
  return `${words.length === 0 ? 'There is no conversation.' : words.join(', ')}\n`
}
