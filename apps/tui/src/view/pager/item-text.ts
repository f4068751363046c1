import type { Item } from '@parley/protocol'
import { stripEffects } from '../text/control-characters.ts'
import { wholeFileOf } from './entry.ts'

/** Text to find. Capitals count if it has any. */
export type Query = string

/** Returns the pattern of a query, for all matches. */
export function patternOf(query: Query): RegExp {
  const isPlain = query === query.toLowerCase()
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), isPlain ? 'giu' : 'gu')
}

export function hasText(text: string, query: Query): boolean {
  return patternOf(query).test(text)
}

/** Returns the text of an item that its rows are made of. */
export function textOf(item: Item): string {
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

/** Finds the first match in an item; null for none. */
export function findInItem(item: Item, query: Query): FoundText | null {
  const text = stripEffects(textOf(item))
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
