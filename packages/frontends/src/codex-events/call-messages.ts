import type { FileChangeEntry, Item, ItemOf } from '@parley/protocol'
import {
  argumentsOf,
  outputText,
  type ShownChange,
  setsPlan,
  sideOfDiff,
  toolOwner,
  typedCommand,
} from '@parley/protocol/calls'
import type { Duration, EventMsg, ExecBegin, FileChange, FileChanges, McpBegin, ParsedCommand } from './event-msg.ts'

interface Beginning {
  /** Files of a patch, as they are just before it. */
  readonly changes?: readonly FileChangeEntry[]
  /** True when a rule approved it. */
  readonly allowed: boolean
  /** Folder of the conversation. */
  readonly cwd: string
}

/** Returns the messages of an item that starts to run. */
export function beginningOf(item: Item, { changes = [], allowed, cwd }: Beginning): readonly EventMsg[] {
  switch (item.type) {
    case 'commandExecution':
      return [execBegin(item.id, item.command, item.cwd)]
    case 'shellCommand':
      return [execBegin(item.id, ['sh', '-c', item.command], item.cwd)]
    case 'fileChange': {
      const shown = fileChangesOf(changes.length > 0 ? changes : item.changes, cwd)
      return [{ type: 'patch_apply_begin', call_id: item.id, auto_approved: allowed, changes: shown }]
    }
    case 'toolCall':
      return setsPlan(item) ? [] : [mcpBegin(item)]
    default:
      return []
  }
}

/** Returns the messages of an item that has ended, in whatever way. */
export function endingOf(item: Item): readonly EventMsg[] {
  switch (item.type) {
    case 'commandExecution':
    case 'shellCommand':
      return [execEnd(item)]
    case 'fileChange':
      return [patchEnd(item)]
    case 'toolCall':
      return setsPlan(item) ? [] : [mcpEnd(item)]
    default:
      return []
  }
}

function execBegin(callId: string, command: readonly string[], cwd: string): ExecBegin {
  return { type: 'exec_command_begin', call_id: callId, command, cwd, parsed_cmd: parsedCommand(command) }
}

function execEnd(item: ItemOf<'commandExecution' | 'shellCommand'>): EventMsg {
  const text = item.output === undefined ? (item.failure?.message ?? '') : outputText(item.output)
  return {
    type: 'exec_command_end',
    call_id: item.id,
    stdout: text,
    stderr: '',
    aggregated_output: text,
    exit_code: item.exitCode ?? -1,
    duration: durationOf(item.durationMs),
    formatted_output: item.modelText ?? text,
  }
}

function patchEnd(item: ItemOf<'fileChange'>): EventMsg {
  const success = item.status === 'completed'
  const said = item.modelText ?? item.failure?.message ?? ''
  return {
    type: 'patch_apply_end',
    call_id: item.id,
    stdout: success ? said : '',
    stderr: success ? '' : said,
    success,
  }
}

function mcpBegin(item: ItemOf<'toolCall'>): McpBegin {
  return { type: 'mcp_tool_call_begin', call_id: item.id, invocation: invocationOf(item) }
}

function mcpEnd(item: ItemOf<'toolCall'>): EventMsg {
  const said = item.modelText ?? item.failure?.message ?? ''
  return {
    type: 'mcp_tool_call_end',
    call_id: item.id,
    invocation: invocationOf(item),
    duration: durationOf(item.durationMs),
    result:
      item.status === 'completed' ? { Ok: { content: [{ type: 'text', text: said }], isError: false } } : { Err: said },
  }
}

function invocationOf(item: ItemOf<'toolCall'>) {
  return { ...toolOwner(item), arguments: argumentsOf(item) }
}

function durationOf(ms = 0): Duration {
  const secs = Math.floor(ms / 1000)
  return { secs, nanos: Math.round((ms - secs * 1000) * 1e6) }
}

/** Returns a command as clients show it. */
export function parsedCommand(argv: readonly string[]): readonly ParsedCommand[] {
  return [{ type: 'unknown', cmd: typedCommand(argv) }]
}

/**
 * Returns a patch as clients know it, with absolute paths. Contents are read from the diffs, and cut where the diffs
 * were cut.
 */
export function fileChangesOf(changes: readonly ShownChange[], cwd: string): FileChanges {
  return Object.fromEntries(changes.map((change) => [absolute(change.path, cwd), fileChangeOf(change, cwd)]))
}

function fileChangeOf({ kind, diff, movedTo }: ShownChange, cwd: string): FileChange {
  switch (kind) {
    case 'add':
      return { type: 'add', content: sideOfDiff(diff, 'after') }
    case 'delete':
      return { type: 'delete', content: sideOfDiff(diff, 'before') }
    case 'update':
      return { type: 'update', unified_diff: diff, move_path: movedTo === undefined ? null : absolute(movedTo, cwd) }
  }
}

/** Returns a path of a patch from the root on, without `.` and `..`. */
function absolute(path: string, cwd: string): string {
  const names: string[] = []
  for (const name of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}
