import { isRecord } from '../json.ts'
import type { ModelEntry, ResponseEntry, ResultEntry } from '../../port/model-client.ts'
import type { CallOutcome, RecordedResponse } from './recording.ts'

export const RECORDED_ADAPTER = 'recorded/1'

/** What a played response leaves in the conversation, so that the conversation itself knows how far it has come. */
export function recordedPart(id: string): object {
  return { recorded: id }
}

/**
 * Pure, and a function of the conversation alone, so that a resumed one goes on at the right place: the first unused
 * response whose `when` fits the newest results; else the first unused one without `when`; else `otherwise`.
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

/** How many responses of the recording the conversation holds. */
export function countRecorded(entries: readonly ModelEntry[]): number {
  return entries.filter(isRecorded).length
}

interface NewResult {
  /** The call's id and the tool's name: `when.call` may be either. */
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
  return entry.kind === 'response' && entry.adapter === RECORDED_ADAPTER
}

function isResult(entry: ModelEntry): entry is ResultEntry {
  return entry.kind === 'result'
}

function recordedIds(part: unknown): readonly string[] {
  return isRecord(part) && typeof part['recorded'] === 'string' ? [part['recorded']] : []
}

/**
 * How a call ended, most exact first, told from the text that the model is given: a denial is worded by the engine
 * ("Not run: the user declined", then the note if there is one), and what was merely interrupted has failed.
 */
function outcomesOf({ text, isError }: ResultEntry): readonly CallOutcome[] {
  if (!isError) return ['ok']
  if (/^not run: (?:the user )?declined(?: and says:| —) \S/i.test(text)) return ['deniedWithNote', 'denied']
  return /^not run: /i.test(text) && !/interrupted|was cut here/i.test(text) ? ['denied'] : ['failed']
}
