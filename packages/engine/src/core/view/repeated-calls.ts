import type { CallItem, EventOf, Failure, ItemId } from '@parley/protocol'
import { resultWithout } from './hints.ts'

/** Same calls in a row: of one tool with the same arguments, with no message of the user in between. */
interface RepeatedRow {
  readonly key: string
  calls: number
  /** Number of calls before the first of the calls that ended alike. */
  before: number
  /** Result of the newest call that ended; null before one has. */
  result: string | null
}

export interface RepeatedCalls {
  row: RepeatedRow | null
  /** Places of the calls that have not ended. */
  readonly places: Map<ItemId, RowPosition>
}

interface RowPosition {
  readonly row: RepeatedRow
  /** Place in the row, counted from 1. */
  readonly nth: number
  /** Number of calls in the row that earlier responses made, so that the model knows how they ended. */
  readonly earlier: number
}

/** Number of same calls in a row after which a result has a hint about them, again and again. */
const hintEvery = 5
/** Number of same calls in a row that ends the turn, before the last of them is run, if the model had the hint before. */
const mostInRow = 20

export function noRepeatedCalls(): RepeatedCalls {
  return { row: null, places: new Map() }
}

/** Counts the calls of a response, in order. */
export function countCalls(repeated: RepeatedCalls, { calls }: Pick<EventOf<'model.responded'>, 'calls'>): void {
  const before = repeated.row
  const earlier = before?.calls ?? 0
  for (const { itemId, name, arguments: written } of calls) {
    const key = `${name}\n${written}`
    const row = repeated.row?.key === key ? repeated.row : { key, calls: 0, before: 0, result: null }
    row.calls += 1
    repeated.row = row
    repeated.places.set(itemId, { row, nth: row.calls, earlier: row === before ? earlier : 0 })
  }
}

/** Notes how a call ended. After a result that differs the row is counted anew: a process may be waited for. */
export function noteResult({ places }: RepeatedCalls, item: CallItem): void {
  const place = places.get(item.id)
  if (place === undefined) return
  places.delete(item.id)
  const { row, nth } = place
  const result = comparable(item)
  if (row.result !== null && row.result !== result) row.before = nth - 1
  row.result = result
}

/** Begins to count anew, since the user has said something. */
export function forgetCalls(repeated: RepeatedCalls): void {
  repeated.row = null
}

/** Returns how often a call that has not ended was made in a row, with the same result each time. */
function timesInRow({ places }: RepeatedCalls, itemId: ItemId): number {
  const place = places.get(itemId)
  return place === undefined ? 0 : place.nth - place.row.before
}

/** Returns the sentence that follows the result of a call made so often, as it ended; null for other calls. */
export function repeatedHint(repeated: RepeatedCalls, item: CallItem): string | null {
  const times = timesInRow(repeated, item.id)
  const result = repeated.places.get(item.id)?.row.result ?? null
  if (times === 0 || times % hintEvery !== 0 || (result !== null && result !== comparable(item))) return null
  return `(This was the same call ${times} times in a row, with the same arguments and the same result. It will not help you any further: look at it, and do something else. To wait for a process, wait longer in one call. ${whatFollows(times)})`
}

function whatFollows(times: number): string {
  return times < mostInRow
    ? `After ${mostInRow} the turn is stopped.`
    : 'If you make it once more, the turn is stopped.'
}

/**
 * Returns the failure that ends the turn instead of a call made so often; null for a call that may run. Same calls of
 * one response run first: their results tell the model.
 */
export function repeatedFailure(repeated: RepeatedCalls, itemId: ItemId, tool: string): Failure | null {
  const times = timesInRow(repeated, itemId)
  const place = repeated.places.get(itemId)
  const hadHint = place !== undefined && place.earlier - place.row.before >= hintEvery
  if (times < mostInRow || !hadHint) return null
  const message = `The model made the same call of ${tool} ${times} times in a row, with the same arguments and the same result, so the turn was stopped. Say what it should do differently, or try another model.`
  return { code: 'sameCallRepeated', message }
}

/** Returns a result without the parts that differ in every run: its duration, ids, and the count of repeated calls. */
function comparable(item: CallItem): string {
  const { status } = item
  if (item.type !== 'commandExecution')
    return JSON.stringify([status, resultWithout(item, (about) => about === 'repetition')])
  const { exitCode, signal, failure, output } = item
  const shown = output === undefined ? [] : [output.head, output.tail, output.totalBytes]
  return JSON.stringify([status, exitCode, signal, failure?.code, ...shown])
}
