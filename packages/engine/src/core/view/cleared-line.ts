import type { CallItem, CallOutput } from '@parley/protocol'
import { exitWords, utf8Length } from '@parley/text'

/** Returns the line that stands for a result which left the view: what it was, how long, and how to read it again. */
export function clearedLine(item: CallItem): string {
  const { id, tool, title } = item
  const size = `${outputOf(item)?.totalBytes ?? utf8Length(item.modelText ?? '')} bytes`
  const what = [`${tool}: ${title.replace(/\s+/g, ' ').slice(0, 200)}`, ...exitOf(item), size].join(', ')
  return `[Cleared to make room: ${what}. read_file "output:${id}" shows it again.]`
}

function outputOf(item: CallItem): CallOutput | undefined {
  return 'output' in item ? item.output : undefined
}

function exitOf(item: CallItem): readonly string[] {
  if (item.type !== 'commandExecution') return item.status === 'completed' ? [] : [item.status]
  if (item.signal !== undefined) return [`killed by ${item.signal}`]
  return typeof item.exitCode === 'number' ? [exitWords(item.exitCode)] : [item.status]
}
