import type { ModelEntry, UserPart } from '@parley/models'
import type { ContentItem } from '@parley/protocol'
import { utf8Length } from '@parley/text'

/** Bytes of text that make about one token, in prose and code alike. */
export const bytesPerToken = 4
/** Tokens of an image; providers count between 500 and 1,600. */
const imageTokens = 1200
/** Tokens of what surrounds an entry on the wire. */
const entryTokens = 8

export function tokensOfText(text: string): number {
  return Math.ceil(utf8Length(text) / bytesPerToken)
}

/** Sizes of entries, which never change. */
const measured = new WeakMap<ModelEntry, number>()

/** Estimates the tokens of an entry as the next request holds it. */
export function tokensOfEntry(entry: ModelEntry): number {
  const known = measured.get(entry) ?? entryTokens + contentTokens(entry)
  measured.set(entry, known)
  return known
}

function contentTokens(entry: ModelEntry): number {
  switch (entry.kind) {
    case 'user':
      return entry.content.reduce((sum, part) => sum + tokensOfPart(part), 0)
    case 'result':
      return tokensOfText(entry.text) + tokensOfImages(entry.images?.length ?? 0)
    case 'response':
      return entry.calls.reduce(
        (sum, call) => sum + entryTokens + tokensOfText(call.name) + tokensOfText(call.arguments),
        tokensOfText(entry.text),
      )
  }
}

export function tokensOfImages(count: number): number {
  return count * imageTokens
}

function tokensOfPart(part: UserPart): number {
  return part.type === 'text' ? tokensOfText(part.text) : imageTokens
}

/** Estimates the tokens of a stored message without reading its side files. */
export function tokensOfContent(content: readonly ContentItem[]): number {
  return content.reduce((sum, part) => sum + tokensOfStored(part), entryTokens)
}

function tokensOfStored(part: ContentItem): number {
  if (part.type === 'image') return imageTokens
  return part.totalBytes === undefined ? tokensOfText(part.text) : Math.ceil(part.totalBytes / bytesPerToken)
}

/** Counts of a provider beside the estimate of the same request. */
export interface Counted {
  readonly inputTokens: number
  readonly estimate: number
}

/**
 * Scales an estimate by how far the newest one was off. Counts that are absurd, as some local servers send them, change
 * it by a factor of 4 at most.
 */
export function scaled(estimate: number, counted: Counted | null): number {
  if (counted === null || counted.inputTokens === 0 || counted.estimate === 0) return estimate
  const factor = Math.min(4, Math.max(0.25, counted.inputTokens / counted.estimate))
  return Math.round(estimate * factor)
}
