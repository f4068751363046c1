import type { Parley } from '@parley/client'
import { count, countOf, shortPath } from '@parley/presentation/text/formats'
import { costText } from '@parley/presentation/text/token-words'
import { addTokens, noTokens, type ParamsOf, type ResultOf } from '@parley/protocol'
import { columnLines } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import { userFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { jsonLines, shownLines } from '../cli/output-lines.ts'
import { createProgress, missingText, untilWhole } from './kept/until-whole.ts'

export interface UsageFlags {
  readonly by: 'day' | 'model' | 'folder'
  readonly since?: string
  readonly json?: boolean
}

type UsageRow = ResultOf<'usage/read'>['rows'][number]

/** Runs `parley usage`: tokens and cost of all conversations, by day, model or folder, with their sum. */
export async function runUsage(launch: Launch, { by, since, json }: UsageFlags): Promise<number> {
  const day = since === undefined ? null : firstDay(since, new Date())
  const from = day === null ? {} : { since: day }
  await using parley = await connect(launch, { clientName: 'parley-usage' })
  const { answer, unread } = await wholeSums(parley, { by, ...from }, launch.streams.stderr)
  const { rows } = answer
  const keyed = rows.map(({ key, ...row }) => ({ [by]: key, ...row }))
  const text = json === true ? jsonLines(keyed) : shownLines(usageLines(rows, { by, home: userFolder() }))
  launch.streams.stdout.write(text)
  if (rows.length === 0 && json !== true)
    launch.streams.stderr.write(`Nothing was asked of a model ${day === null ? 'yet' : `since ${day}`}.\n`)
  if (unread === 0) return exitCodes.ok
  launch.streams.stderr.write(`${missingText(unread)}\n`)
  return exitCodes.storage
}

/** Asks until the sums contain all conversations, and counts the missing ones on a terminal. */
function wholeSums(parley: Parley, request: ParamsOf<'usage/read'>, stderr: Launch['streams']['stderr']) {
  return untilWhole(
    () => parley.request('usage/read', request),
    createProgress(stderr, (unread) => `fetching ${countOf(unread, 'conversation')} from the store …`),
  )
}

/** Returns the first day of `2026-11-01` or `7d`. Throws a usage error. */
export function firstDay(since: string, today: Date): string {
  const days = /^(\d{1,4})d$/.exec(since)?.[1]
  const day = days === undefined ? new Date(`${since}T00:00`) : daysBefore(today, Number(days))
  const isDay = days !== undefined || /^\d{4}-\d\d-\d\d$/.test(since)
  if (!isDay || Number.isNaN(day.getTime())) throw misused(`--since is a day like 2026-11-01, or 7d: not "${since}".`)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

function daysBefore(today: Date, days: number): Date {
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() - days)
}

/** Returns the table with names of columns and the sum; empty without rows. */
export function usageLines(
  rows: readonly UsageRow[],
  { by, home }: { readonly by: UsageFlags['by']; readonly home: string },
): readonly string[] {
  if (rows.length === 0) return []
  const names = [by.toUpperCase(), 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'REASONING', 'COST']
  const cells = rows.map((row) => cellsOf(by === 'folder' ? { ...row, key: shortPath(row.key, home) } : row))
  const table = [names, ...cells, ...(rows.length === 1 ? [] : [cellsOf(sumOf(rows))])]
  return columnLines(table, [1, 2, 3, 4, 5, 6])
}

function cellsOf({ key, calls, counts }: UsageRow): string[] {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = counts
  const numbers = [calls, inputTokens, cachedInputTokens, outputTokens, reasoningTokens]
  return [key, ...numbers.map(count), costText(counts)]
}

function sumOf(rows: readonly UsageRow[]): UsageRow {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0)
  const counts = rows.map((row) => row.counts).reduce(addTokens, noTokens)
  return { key: 'all', conversations: 0, calls, counts }
}
