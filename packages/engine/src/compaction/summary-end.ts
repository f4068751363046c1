import type { ModelEvent, ModelFailure } from '@parley/models'
import type { Failure } from '@parley/protocol'
import { firstBytes } from '@parley/text'

/** Outcome of the requests for a summary. */
export type Written =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' }

/** End of one request for a summary; after a fault it may be made again. */
export type SummaryEnd = Written | { readonly kind: 'fault'; readonly fault: ModelFailure }

type Stop = Extract<ModelEvent, { type: 'completed' }>['stop']

/** Bytes of a summary; a longer one is cut, since it would defeat its purpose. */
export const maxSummaryBytes = 48 * 1024

const cutMark = '[The summary is cut here.]'

export const stillTooLong: Failure = {
  code: 'contextTooLong',
  message: 'Even its newest part is longer than the model that writes the summary can read.',
}

const noText: Failure = {
  code: 'outputLimit',
  message: 'The summary reached the output limit before its first word.',
}

const filtered: Failure = {
  code: 'filtered',
  message: "The provider's content filter stopped the summary.",
}

const windowFull: ModelFailure = {
  code: 'contextTooLong',
  message: 'The request for a summary leaves the model no room to write it.',
  retry: 'never',
}

/** Returns what a response is as a summary. One that was cut has a mark; one that was refused is none. */
export function endOfSummary(text: string, stop: Stop): SummaryEnd {
  if (stop === 'filter') return { kind: 'failed', failure: filtered }
  if (stop === 'context') return { kind: 'fault', fault: windowFull }
  if (stop === 'length' && text === '') return { kind: 'failed', failure: noText }
  const kept = firstBytes(text, maxSummaryBytes)
  const isCut = (text !== '' && stop !== 'stop') || kept !== text
  return { kind: 'written', text: isCut ? `${kept}\n\n${cutMark}` : kept }
}
