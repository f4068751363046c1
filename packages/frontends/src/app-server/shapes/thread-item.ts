import { resolve } from 'node:path'
import type { FileChangeEntry, Item, ItemOf } from '@parley/protocol'
import { argumentsOf, outputText, setsPlan, sideOfDiff, toolOwner, typedCommand } from '@parley/protocol/calls'
import { joinShellWords } from '@parley/text'

/** Item of a thread as clients of Codex's app-server know it, tagged by `type`. */
export type ThreadItem = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

/**
 * Returns the item for clients; null for items without a form there: notices, and calls that only set the plan. Times
 * are in ms since the epoch, and null while the item is open.
 */
export function threadItemOf(
  item: Item,
  times: { readonly startedAtMs: number; readonly completedAtMs: number | null },
  cwd: string,
): ThreadItem | null {
  const body = bodyOf(item, times.completedAtMs !== null, cwd)
  return body === null ? null : { ...body, ...times }
}

function bodyOf(item: Item, isOver: boolean, cwd: string): ThreadItem | null {
  switch (item.type) {
    case 'userMessage':
      return { type: 'userMessage', id: item.id, clientId: item.messageId ?? null, content: contentOf(item) }
    case 'agentMessage':
      return agentMessage(item.id, item.text)
    case 'reasoning': {
      const text = item.text === '' ? [] : [item.text]
      const [summary, content] = item.raw === true ? [[], text] : [text, []]
      return { type: 'reasoning', id: item.id, summary, content }
    }
    case 'commandExecution':
      return commandItem(item, isOver, { source: 'agent', argv: item.command })
    case 'shellCommand':
      return commandItem(item, isOver, { source: 'userShell', argv: ['sh', '-c', item.command] })
    case 'fileChange':
      return { type: 'fileChange', id: item.id, changes: changesOf(item.changes, cwd), status: statusOf(item, isOver) }
    case 'toolCall':
      return setsPlan(item) ? null : toolItem(item, isOver)
    case 'contextCompaction':
      return { type: 'contextCompaction', id: item.id }
    case 'notice':
      return null
  }
}

export function agentMessage(id: string, text: string): ThreadItem {
  const absent = { moderation: null, phase: null, memoryCitation: null, delivery: null, questions: null }
  return { type: 'agentMessage', id, text, ...absent }
}

function contentOf({ content }: ItemOf<'userMessage'>) {
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text, text_elements: [] }
      : { type: 'text', text: `[image: ${part.name}]`, text_elements: [] },
  )
}

function commandItem(
  item: ItemOf<'commandExecution' | 'shellCommand'>,
  isOver: boolean,
  { source, argv }: { readonly source: 'agent' | 'userShell'; readonly argv: readonly string[] },
): ThreadItem {
  const { id, cwd, output, exitCode = null, durationMs = null } = item
  return {
    type: 'commandExecution',
    id,
    pluginId: null,
    scriptPath: null,
    command: joinShellWords(argv),
    cwd,
    processId: null,
    source,
    status: statusOf(item, isOver),
    commandActions: [{ type: 'unknown', command: typedCommand(argv) }],
    aggregatedOutput: output === undefined ? null : outputText(output),
    exitCode,
    durationMs: durationMs === null ? null : Math.round(durationMs),
  }
}

/**
 * Returns `inProgress` for an open item, whatever it waits for. A command that exits with another code than 0 has
 * failed.
 */
function statusOf(item: Item, isOver: boolean): 'inProgress' | 'completed' | 'failed' | 'declined' {
  if (!isOver) return 'inProgress'
  if (item.status === 'denied') return 'declined'
  const isNonZero = 'exitCode' in item && item.exitCode !== undefined && item.exitCode !== 0
  return item.status === 'completed' && !isNonZero ? 'completed' : 'failed'
}

/**
 * Returns the files of a patch. Clients expect the content of a file that is added or deleted, and a diff of others.
 */
export function changesOf(
  changes: readonly Pick<FileChangeEntry, 'path' | 'kind' | 'diff' | 'movedTo'>[],
  cwd: string,
) {
  return changes.map(({ path, kind, diff, movedTo }) => ({
    path: resolve(cwd, path),
    kind:
      kind === 'update'
        ? { type: kind, move_path: movedTo === undefined ? null : resolve(cwd, movedTo) }
        : { type: kind },
    diff: kind === 'update' ? hunksOf(diff) : sideOfDiff(diff, kind === 'add' ? 'after' : 'before'),
  }))
}

/** Returns a diff without its headers of two lines. */
function hunksOf(diff: string): string {
  return diff.split('\n').slice(2).join('\n')
}

function toolItem(item: ItemOf<'toolCall'>, isOver: boolean): ThreadItem {
  const { id, modelText = '', failure, durationMs = null, readOnly } = item
  const status = statusOf(item, isOver)
  return {
    type: 'mcpToolCall',
    id,
    ...toolOwner(item),
    status: status === 'declined' ? 'failed' : status,
    arguments: argumentsOf(item),
    result:
      status === 'completed'
        ? { content: [{ type: 'text', text: modelText }], structuredContent: null, _meta: null }
        : null,
    error: status === 'failed' || status === 'declined' ? { message: failure?.message ?? modelText } : null,
    durationMs: durationMs === null ? null : Math.round(durationMs),
    readOnlyHint: readOnly ?? null,
  }
}
