import type { Envelope, EventOf, Item } from '@parley/protocol'
import { stripEffects } from '../view/neutralise.ts'
import type { Reporter, RunEnd } from './reporter.ts'
import type { ResultStream } from './stdout.ts'

/** The final message on stdout, alone and at the end; everything on the way there on stderr. */
export function createPlainReporter(stdout: ResultStream, stderr: { write(text: string): unknown }): Reporter {
  /** Characters of each message already shown: deltas are a courtesy, and the closing event has the rest. */
  const shown = new Map<string, number>()
  let midLine = false

  function say(text: string): void {
    if (midLine) stderr.write('\n')
    midLine = false
    stderr.write(`${stripEffects(text)}\n`)
  }

  function stream(itemId: string, text: string): void {
    shown.set(itemId, (shown.get(itemId) ?? 0) + text.length)
    stderr.write(stripEffects(text))
    midLine = !text.endsWith('\n')
  }

  function event({ event: happened }: Envelope): void {
    switch (happened.type) {
      case 'item.delta':
        return stream(happened.itemId, happened.text)
      case 'item.completed':
        return finished(happened.item)
      case 'item.discarded':
        return say('· the connection was lost; the answer starts again')
      case 'retry.scheduled':
        return say(retryLine(happened))
      case 'approval.requested':
        return say(`? not answered, so denied: ${happened.approval.title} (${happened.approval.reason})`)
      default:
        return
    }
  }

  function finished(item: Item): void {
    if (item.type === 'agentMessage') return finishMessage(item)
    const line = summaryLine(item)
    if (line !== null) say(line)
  }

  function finishMessage({ id, text }: Item): void {
    stream(id, text.slice(shown.get(id) ?? 0))
    if (midLine) stderr.write('\n')
    midLine = false
  }

  return {
    event,
    problem: (text) => say(`parley: ${text}`),
    end(end) {
      const text = closingWords(end)
      if (text !== null) say(text)
      else if (midLine) stderr.write('\n')
      if (end.answer !== null) stdout.line(end.answer.trimEnd())
    },
  }
}

function retryLine({ retryAt, failure, attempt }: EventOf<'retry.scheduled'>): string {
  const seconds = Math.max(0, Math.round((retryAt - Date.now()) / 1000))
  return `· ${failure.message} Trying again in ${seconds} s (attempt ${attempt}).`
}

function summaryLine(item: Item): string | null {
  switch (item.type) {
    case 'commandExecution':
      return `$ ${item.title}${item.exitCode === undefined ? '' : ` → exit ${item.exitCode ?? item.signal}`}${statusNote(item)}`
    case 'fileChange':
      return `± ${item.title}${statusNote(item)}`
    case 'toolCall':
      return `· ${item.title}${statusNote(item)}`
    case 'notice':
      return item.level === 'info' ? `· ${item.title}` : `! ${item.title}`
    default:
      return null
  }
}

function statusNote({ status }: Item): string {
  return status === 'completed' || status === 'failed' ? (status === 'failed' ? ' (failed)' : '') : ` (${status})`
}

function closingWords({ failure, outcome, denials, exitCode }: RunEnd): string | null {
  if (failure !== null && outcome === null) return `parley: ${failure.message}`
  if (denials.length > 0)
    return `parley: ${denials.length} ${denials.length === 1 ? 'request was' : 'requests were'} denied; a --policy file can answer them.`
  return outcome === 'interrupted' && exitCode !== 0 ? 'parley: interrupted; the conversation is saved.' : null
}
