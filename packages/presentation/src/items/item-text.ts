import type { Item } from '@parley/protocol'
import { stripEffects } from '../text/control-characters.ts'

/** Text to find. Capitals count if it has any. */
export type TextQuery = string

/** Returns the pattern of a query, for all matches. */
export function patternOf(query: TextQuery): RegExp {
  const isPlain = query === query.toLowerCase()
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), isPlain ? 'giu' : 'gu')
}

export function hasText(text: string, query: TextQuery): boolean {
  return patternOf(query).test(text)
}

/** Returns the text of an item that its rows are made of. */
export function searchedText(item: Item): string {
  const parts = [item.title, item.text]
  if ('output' in item && item.output !== undefined && wholeFileOf(item) === null)
    parts.push(item.output.head, item.output.tail)
  if (item.type === 'fileChange')
    for (const part of item.changes.flatMap(({ path, diff }) => [path, diff])) parts.push(part)
  if (item.type === 'toolCall') parts.push(item.input, item.output === undefined ? (item.modelText ?? '') : '')
  if (item.type === 'shellCommand') parts.push(item.command)
  return parts.join('\n')
}

/** A match with the text of its line around it. */
export interface FoundText {
  readonly before: string
  readonly match: string
  readonly after: string
}

/** Characters that are shown before and after a match. */
const around = { before: 40, after: 120 }

/** Finds the first match in an item; null if there is no match. */
export function findInItem(item: Item, query: TextQuery): FoundText | null {
  const text = stripEffects(searchedText(item))
  const found = query === '' ? null : patternOf(query).exec(text)
  if (found === null) return null
  const [match] = found
  const end = found.index + match.length
  const lineStart = text.lastIndexOf('\n', found.index - 1) + 1
  const lineEnd = text.indexOf('\n', end)
  return {
    before: text.slice(Math.max(lineStart, found.index - around.before), found.index),
    match,
    after: text.slice(end, Math.min(lineEnd < 0 ? text.length : lineEnd, end + around.after)),
  }
}

/** Returns the side file with the whole content of an item, and its size; null if the item has all of it. */
export function wholeFileOf(item: Item): { readonly file: string; readonly totalBytes: number } | null {
  if (item.type === 'userMessage') {
    const [part, ...others] = item.content.filter(({ type }) => type === 'text')
    const isOne = part?.type === 'text' && others.length === 0
    return isOne && part.file !== undefined ? { file: part.file, totalBytes: part.totalBytes ?? 0 } : null
  }
  const output = 'output' in item ? item.output : undefined
  if (output?.file === undefined || output.binary) return null
  return { file: output.file, totalBytes: output.totalBytes }
}
