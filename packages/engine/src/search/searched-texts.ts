import { findWord, type LogLine, type SearchedTexts, type SearchWord } from '@parley/journal'
import type { CallOutput, Item } from '@parley/protocol'
import { createLogReader, type LogReader, type OwnEvent } from '../conversation/journal.ts'
import type { SearchExcerpt } from '../ports/text-search.ts'

/** Text of an event that is searched, and where it comes from. */
interface SearchedText extends Pick<SearchExcerpt, 'from' | 'itemId'> {
  readonly text: string
}

export const searchedTexts: SearchedTexts = {
  version: 1,
  types: new Set(['item.completed', 'conversation.renamed']),
  reader(header) {
    const reader = createLogReader(header)
    return (line) => textOfLine(line, reader)?.searched.text ?? ''
  },
}

function textOfLine(line: LogLine, reader: LogReader): { own: OwnEvent; searched: SearchedText } | null {
  const own = reader.readOwn(line)
  const searched = own === null ? null : searchedText(own.event)
  return own === null || searched === null ? null : { own, searched }
}

function searchedText(event: OwnEvent['event']): SearchedText | null {
  if (event.type === 'conversation.renamed') return { from: 'name', text: event.name }
  if (event.type !== 'item.completed') return null
  const { item } = event
  return { from: sourceOf(item), itemId: item.id, text: textsOf(item).join('\n') }
}

function sourceOf({ type }: Item): SearchExcerpt['from'] {
  switch (type) {
    case 'userMessage':
      return 'user'
    case 'agentMessage':
    case 'reasoning':
    case 'contextCompaction':
      return 'model'
    case 'notice':
      return 'notice'
    default:
      // Types of later programs count as calls, too: their title and text are shown.
      return 'call'
  }
}

/** Returns the texts of an item: what people see of it, with output and diffs. */
function textsOf(item: Item): readonly string[] {
  switch (item.type) {
    case 'commandExecution':
    case 'shellCommand':
      return [item.text, ...outputTexts(item.output)]
    case 'toolCall':
      return [item.title, item.text, ...outputTexts(item.output)]
    case 'fileChange':
      return [item.title, ...item.changes.flatMap(({ path, diff }) => [path, diff])]
    default:
      return [item.text]
  }
}

function outputTexts(output: CallOutput | undefined): readonly string[] {
  return output === undefined || output.binary === true ? [] : [output.head, output.tail]
}

/** Reads the line of a place that a search found; null unless it is a line with text. */
export function excerptOf(line: LogLine, reader: LogReader, words: readonly SearchWord[]): SearchExcerpt | null {
  const read = textOfLine(line, reader)
  if (read === null) return null
  const { own, searched } = read
  const { text, ...source } = searched
  return { seq: own.seq, at: own.at, ...source, ...cutAround(text, bestPlace(text, words)) }
}

const charactersBefore = 60
const charactersAfter = 140

interface WordSpan {
  readonly from: number
  readonly to: number
}

/** Returns the first place of the word with the most other words near it; the beginning where only the index has them. */
function bestPlace(text: string, words: readonly SearchWord[]): WordSpan {
  const places = words.flatMap((word) => findWord(text, word) ?? [])
  const near = ({ from, to }: WordSpan) => {
    const around = text.slice(Math.max(0, from - charactersBefore), to + charactersAfter)
    return words.filter((word) => findWord(around, word) !== null).length
  }
  return places.toSorted((a, b) => near(b) - near(a))[0] ?? { from: 0, to: 0 }
}

function cutAround(text: string, { from, to }: WordSpan) {
  const start = Math.max(0, from - charactersBefore)
  const end = Math.min(text.length, to + charactersAfter)
  return {
    before: `${start > 0 ? '…' : ''}${inOneLine(text.slice(start, from)).trimStart()}`,
    words: inOneLine(text.slice(from, to)),
    after: `${inOneLine(text.slice(to, end)).trimEnd()}${end < text.length ? '…' : ''}`,
  }
}

function inOneLine(text: string): string {
  // Half of a pair where the cut is would be no character.
  return text.toWellFormed().replace(/\s+/g, ' ')
}
