import type { ToolCall, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk'
import type { CallItem, ItemStatus, ResultOf } from '@parley/protocol'
import { argumentsOf, callKindOf, outputText, typedCommand } from '@parley/protocol/calls'
import { onOneLine } from '@parley/protocol/question'
import { greatest } from '@parley/text'

export type ChangedTexts = ResultOf<'conversation/readChange'>['files']

/** Describes a call for a client. `files` are the texts of a change; empty for other calls. */
export function callUpdate(item: CallItem, files: ChangedTexts): ToolCall {
  return {
    toolCallId: item.id,
    title: onOneLine(item.type === 'commandExecution' ? typedCommand(item.command) : item.title),
    kind: callKindOf(item),
    status: statusOf(item.status),
    locations: (item.locations ?? []).map(({ path, line }) => (line === undefined ? { path } : { path, line })),
    rawInput: rawInputOf(item),
    content: contentOf(item, files),
  }
}

function statusOf(status: ItemStatus): ToolCallStatus {
  switch (status) {
    case 'proposed':
    case 'awaitingApproval':
      return 'pending'
    case 'inProgress':
      return 'in_progress'
    case 'completed':
      return 'completed'
    case 'failed':
    case 'denied':
    case 'interrupted':
    case 'unknown':
      return 'failed'
  }
}

function rawInputOf(item: CallItem): unknown {
  if (item.type === 'commandExecution') return { command: item.command, cwd: item.cwd }
  if (item.type !== 'fileChange') return argumentsOf(item)
  return item.changes.length === 0 ? undefined : { files: item.changes.map(({ path }) => path) }
}

function contentOf(item: CallItem, files: ChangedTexts): ToolCallContent[] {
  const said = [resultOf(item), item.failure?.message, deniedBy(item)]
  return [
    ...diffsOf(files),
    ...said.filter((text) => text !== undefined && text !== '').map((text) => textContent(fenced(text ?? ''))),
  ]
}

function resultOf(item: CallItem): string | undefined {
  if (item.type === 'fileChange') return undefined
  if (item.output !== undefined) return outputText(item.output)
  return item.type === 'toolCall' ? item.modelText : undefined
}

function deniedBy({ status, decision }: CallItem): string | undefined {
  if (status !== 'denied') return undefined
  const why = decision?.answer === undefined ? decision?.reason : 'the answer was no'
  return `Not run: ${decision?.note ?? why ?? 'denied'}`
}

/** Returns old and new text of each file; a moved one is shown at its new path. */
export function diffsOf(files: ChangedTexts): ToolCallContent[] {
  return files.map(({ path, movedTo, oldText, newText }) => ({
    type: 'diff',
    path: movedTo ?? path,
    oldText,
    newText: newText ?? '',
  }))
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

/** Puts a text of others into a block of code that it cannot end: editors show Markdown. */
export function fenced(text: string): string {
  const longest = greatest(
    [...text.matchAll(/`+/g)].map(([run]) => run.length),
    2,
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.trimEnd()}\n${fence}`
}
