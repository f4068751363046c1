import { isRecord } from '@parley/text'
import type { ModelEntry, ResponseEntry, ResultEntry } from '../../port/model-client.ts'
import type { CallOutcome, RecordedResponse } from './recording.ts'

export const recordedAdapter = 'recorded/1'

/** Returns the part that a played response leaves in the conversation, which so records its place in the recording. */
export function recordedPart(id: string): object {
  return { recorded: id }
}

/**
 * Chooses the first unused response with a `when` that fits the newest results; else the first unused one without
 * `when`; else the one with `otherwise`. Depends on the conversation alone, so that a resumed one continues at the
 * right place.
 */
export function chooseRecorded(
  responses: readonly RecordedResponse[],
  entries: readonly ModelEntry[],
): RecordedResponse | undefined {
  const used = new Set(entries.filter(isRecorded).flatMap(({ parts }) => parts.flatMap(recordedIds)))
  const unused = responses.filter(({ id, otherwise }) => otherwise !== true && !used.has(id))
  return (
    firstFitting(unused, newestResults(entries)) ??
    unused.find(({ when }) => when === undefined) ??
    responses.find(({ otherwise }) => otherwise === true)
  )
}

/** Counts the responses of a recording that the conversation contains. */
export function countRecorded(entries: readonly ModelEntry[]): number {
  return entries.filter(isRecorded).length
}

interface NewResult {
  /** Id of the call and name of its tool; `when.call` may be either. */
  readonly labels: readonly string[]
  readonly outcomes: readonly CallOutcome[]
}

function firstFitting(
  unused: readonly RecordedResponse[],
  results: readonly NewResult[],
): RecordedResponse | undefined {
  const exact = unused.find(({ when }) => when && results.some((result) => fits(when, result, 1)))
  return exact ?? unused.find(({ when }) => when && results.some((result) => fits(when, result, 2)))
}

function fits(when: { call: string; outcome: CallOutcome }, { labels, outcomes }: NewResult, depth: number): boolean {
  return labels.includes(when.call) && outcomes.slice(0, depth).includes(when.outcome)
}

function newestResults(entries: readonly ModelEntry[]): readonly NewResult[] {
  const at = entries.findLastIndex((entry) => entry.kind === 'response')
  const response = entries[at]
  if (response?.kind !== 'response') return []
  return entries
    .slice(at + 1)
    .filter(isResult)
    .map((result) => {
      const name = response.calls.find(({ callId }) => callId === result.callId)?.name
      return { labels: name === undefined ? [result.callId] : [result.callId, name], outcomes: outcomesOf(result) }
    })
}

function isRecorded(entry: ModelEntry): entry is ResponseEntry {
  return entry.kind === 'response' && entry.adapter === recordedAdapter
}

function isResult(entry: ModelEntry): entry is ResultEntry {
  return entry.kind === 'result'
}

function recordedIds(part: unknown): readonly string[] {
  return isRecord(part) && typeof part['recorded'] === 'string' ? [part['recorded']] : []
}

/** Returns the outcomes of a call from its result, the most exact first. An interrupted call counts as failed. */
function outcomesOf({ text, isError }: ResultEntry): readonly CallOutcome[] {
  if (!isError) return ['ok']
  // The engine words a denial as "Not run: the user denied this", logs of version 1 as "declined"; a note follows.
  if (/^not run: the user (?:denied this|declined)(?: and says:| —) \S/i.test(text)) return ['deniedWithNote', 'denied']
  return /^not run: /i.test(text) && !/interrupted|was cut here/i.test(text) ? ['denied'] : ['failed']
}
