import type { EventOf } from '@parley/protocol'
import { formatDuration } from '../view/text/formats.ts'

export function retryLine(event: EventOf<'retry.scheduled'>, nowMs: number): string {
  return `· ${retrySentence(event, nowMs)}`
}

export function retrySentence({ retryAt, failure, attempt }: EventOf<'retry.scheduled'>, nowMs: number): string {
  const message = failure.message.trimEnd()
  const end = /[.!?…]$/.test(message) ? '' : '.'
  return `${message}${end} Trying again in ${formatDuration(retryAt - nowMs)} (attempt ${attempt}).`
}
