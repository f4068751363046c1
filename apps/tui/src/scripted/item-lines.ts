import type { CallItem, Item } from '@parley/protocol'
import { formatDuration } from '../view/duration.ts'
import { rightsWords } from '../view/rights-words.ts'
import { visibleLine } from '../view/visible-text.ts'

/** The line above what an item says while it runs; null for the answer, which speaks for itself. */
export function runningLine(item: Item, isAgain: boolean): string | null {
  if (item.type === 'reasoning') return '· thinking'
  if (item.type !== 'commandExecution') return null
  return `$ ${visibleLine(item.title)}${isAgain ? ' (more)' : ''}`
}

/** The line about a finished item, null when there is nothing to add. `isBelow`: it stands right below what the item said. */
export function itemLine(item: Item, isBelow: boolean): string | null {
  switch (item.type) {
    case 'commandExecution':
      return isBelow ? `→ ${howItEnded(item)}` : `$ ${visibleLine(item.title)} → ${howItEnded(item)}`
    case 'fileChange':
      return `± ${visibleLine(item.title)}${noteOn(item)}`
    case 'toolCall':
      return `· ${visibleLine(item.title)}${noteOn(item)}`
    case 'notice':
      return item.level === 'info' ? `· ${item.title}` : `! ${item.title}`
    default:
      return null
  }
}

function howItEnded(item: Extract<Item, { type: 'commandExecution' }>): string {
  const rights = rightsWords(item)
  return `${ending(item)}${rights === null ? '' : `, ${rights}`}`
}

function ending(item: Extract<Item, { type: 'commandExecution' }>): string {
  const { status, exitCode, signal, durationMs } = item
  if (status !== 'completed' && status !== 'failed') return statusWords(item)
  const after = durationMs === undefined ? '' : ` after ${formatDuration(durationMs)}`
  if (signal !== undefined) return `killed by ${signal}${after}`
  if (exitCode === undefined || exitCode === null) return statusWords(item)
  return `exit ${exitCode}${after}`
}

function noteOn(item: CallItem): string {
  return item.status === 'completed' ? '' : ` → ${statusWords(item)}`
}

function statusWords(item: CallItem): string {
  if (item.status === 'denied') return `not run: ${whyDenied(item)}`
  const reason = item.failure?.message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''
  return reason === '' ? item.status : `${item.status}: ${reason}`
}

/** The rule is named: it is what someone who wants the call allowed has to change. */
function whyDenied({ decision }: CallItem): string {
  if (decision === undefined) return 'denied'
  const { verdict, reason, rule } = decision
  const { name, file, line } = rule
  const place = file === undefined ? name : `${name}, ${file}${line === undefined ? '' : `:${line}`}`
  return `${verdict === 'ask' ? 'nobody to ask; ' : ''}${reason} [${place}]`
}
