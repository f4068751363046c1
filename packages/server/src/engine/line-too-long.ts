import { type LineTooLongError, MAX_WRITTEN_LINE_BYTES } from '@parley/journal'
import type { Failure } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'

/** Says that nothing was recorded, what the limit is and what to do instead. */
export function lineTooLongText({ sizeBytes }: LineTooLongError): string {
  return `This is too large to be kept: it would take ${formatBytes(sizeBytes)} in the conversation's log, where one event may have ${formatBytes(MAX_WRITTEN_LINE_BYTES)}. Nothing of it was recorded. Put large content into a file and name that.`
}

/** Ends the turn in which something came up that the log cannot hold. */
export function lineTooLongFailure(error: LineTooLongError): Failure {
  return { code: 'eventTooLarge', message: lineTooLongText(error) }
}
