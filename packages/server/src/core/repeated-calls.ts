import type { Failure, ItemId } from '@parley/protocol'

/** Same calls in a row: of one tool with the same arguments, with no message of the user in between. */
export interface RepeatedCalls {
  key: string | null
  times: number
  /** Number of same calls in a row up to a call, of calls that the model is told about. */
  readonly told: Map<ItemId, number>
}

/** Number of same calls in a row after which the model is told so, again and again. */
const toldEvery = 5
/** Number of same calls in a row that ends the turn, before the last of them is run. */
const mostInRow = 20

export function noRepeatedCalls(): RepeatedCalls {
  return { key: null, times: 0, told: new Map() }
}

interface MadeCall {
  readonly itemId: ItemId
  readonly name: string
  readonly arguments: string
}

/** Counts the calls of a response, in order. */
export function countCalls(repeated: RepeatedCalls, calls: readonly MadeCall[]): void {
  for (const { itemId, name, arguments: written } of calls) {
    const key = `${name}\n${written}`
    repeated.times = repeated.key === key ? repeated.times + 1 : 1
    repeated.key = key
    if (repeated.times % toldEvery === 0) repeated.told.set(itemId, repeated.times)
  }
}

/** Begins to count anew, since the user has said something. */
export function forgetCalls(repeated: RepeatedCalls): void {
  repeated.key = null
}

/** Returns the sentence that follows the result of a call made so often; empty for none. */
export function repeatedHint(times: number): string {
  if (times === 0) return ''
  return `\n(This was the same call ${times} times in a row, with the same arguments. Its result will not help you any further: look at it, and do something else. To wait for a process, wait longer in one call. After ${mostInRow} the turn is stopped.)`
}

/** Returns the failure that ends the turn instead of a call made so often; null for a call that may run. */
export function repeatedFailure(tool: string, times: number): Failure | null {
  if (times < mostInRow) return null
  const message = `The model made the same call of ${tool} ${times} times in a row, with the same arguments, so the turn was stopped. Say what it should do differently, or try another model.`
  return { code: 'sameCallRepeated', message }
}
