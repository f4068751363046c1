import type { DatabaseSync } from 'node:sqlite'
import type { ConversationId } from '@parley/protocol'
import { matchExpression, type SearchWord } from './search-words.ts'

/** Log that has all words. */
export interface FoundLog {
  readonly id: ConversationId
  /** Number of lines that have all words; 0 where they are in different lines. */
  readonly lines: number
  /** Byte offset of the newest such line, else of the newest with the rarest word. */
  readonly byteOffset: number
  readonly words: readonly SearchWord[]
}

interface LogMatch {
  readonly number: number
  readonly lines: number
  readonly byteOffset: number
}

/** Finds the logs that have all words, first the logs that have them in one line; an empty list without words. */
export function findLogs(database: DatabaseSync, words: readonly SearchWord[]): readonly FoundLog[] {
  if (words.length === 0) return []
  const ids = new Map(
    database
      .prepare('select number, id from logs')
      .all()
      .map((row) => [Number(row['number']), String(row['id'])]),
  )
  const together = matches(database, words.map(matchExpression).join(' AND '))
  const found = together.map((match) => ({ ...match, words }))
  const seen = new Set(together.map(({ number }) => number))
  const apart = words.length === 1 ? [] : logsWithWordsApart(database, words).filter(({ number }) => !seen.has(number))
  return [...found, ...apart].flatMap(({ number, ...match }) => {
    const id = ids.get(number)
    return id === undefined ? [] : [{ id, ...match }]
  })
}

function logsWithWordsApart(
  database: DatabaseSync,
  words: readonly SearchWord[],
): readonly (LogMatch & Pick<FoundLog, 'words'>)[] {
  const found = words
    .map((word) => ({ word, logs: matches(database, matchExpression(word)) }))
    .sort((a, b) => a.logs.length - b.logs.length)
  const [rarest, ...others] = found
  if (rarest === undefined) return []
  const sets = others.map(({ logs }) => new Set(logs.map(({ number }) => number)))
  return rarest.logs
    .filter(({ number }) => sets.every((set) => set.has(number)))
    .map((match) => ({ ...match, lines: 0, words: [rarest.word] }))
}

/** Counts the matching lines of each log. A row id has the log's number above the byte offset of the line. */
function matches(database: DatabaseSync, expression: string): readonly LogMatch[] {
  return database
    .prepare(
      `select rowid >> 40 as number, count(*) as lines, max(rowid) & 0xffffffffff as byte_offset
       from texts where texts match ? group by 1`,
    )
    .all(expression)
    .map((row) => ({
      number: Number(row['number']),
      lines: Number(row['lines']),
      byteOffset: Number(row['byte_offset']),
    }))
}
