import { ClientError } from '../errors.ts'
import type { Followed } from './follow-events.ts'

/**
 * An iteration that can be left while it waits, as `ReadableStream.from` does when it is cancelled: a generator alone
 * would come to its end only with the next event.
 */
export function leavable<Value>(
  followed: Followed,
  follow: (followed: Followed) => AsyncGenerator<Value, void, undefined>,
): AsyncIterableIterator<Value, void, undefined> {
  const left = new AbortController()
  const values = follow({ ...followed, ended: AbortSignal.any([followed.ended, left.signal]) })
  return {
    next: () => values.next(),
    return() {
      left.abort(new ClientError('closed', 'The iteration was left.'))
      return values.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
