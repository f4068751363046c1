import type { FileChangeEntry, Item, ItemOf, Output } from '@parley/protocol'
import type { Duration, EventMsg, ExecBegin, FileChange, FileChanges, McpBegin, ParsedCommand } from './event-msg.ts'

/** Tool whose calls are reported as `plan_update`. */
const planTool = 'update_plan'

/** Returns the messages of an item that starts to run. `allowed` is true when a rule approved it. */
export function beginningOf(item: Item, changes: readonly FileChangeEntry[], allowed: boolean): readonly EventMsg[] {
  switch (item.type) {
    case 'commandExecution':
      return [execBegin(item.id, item.command, item.cwd)]
    case 'shellCommand':
      return [execBegin(item.id, ['sh', '-c', item.command], item.cwd)]
    case 'fileChange': {
      const shown = fileChangesOf(changes.length > 0 ? changes : item.changes)
      return [{ type: 'patch_apply_begin', call_id: item.id, auto_approved: allowed, changes: shown }]
    }
    case 'toolCall':
      return item.tool === planTool ? [] : [mcpBegin(item)]
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
      return item.tool === planTool ? [] : [mcpEnd(item)]
    default:
      return []
  }
}

function execBegin(callId: string, command: readonly string[], cwd: string): ExecBegin {
  return { type: 'exec_command_begin', call_id: callId, command, cwd, parsed_cmd: parsedCommand(command) }
}

function execEnd(item: ItemOf<'commandExecution' | 'shellCommand'>): EventMsg {
  const text = shownOutput(item.output)
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

function shownOutput(output: Output | undefined): string {
  if (output === undefined) return ''
  const { head, tail, omittedBytes } = output
  return omittedBytes === 0 ? head + tail : `${head}\n[… ${omittedBytes} bytes left out …]\n${tail}`
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

/**
 * Returns server, tool and arguments of a call. Tools of an MCP server are named `mcp__SERVER__TOOL`; others are
 * parley's own.
 */
function invocationOf({ tool, input }: ItemOf<'toolCall'>) {
  const [, server = 'parley', name = tool] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  return { server, tool: name, arguments: parsed(input) }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

function durationOf(ms = 0): Duration {
  const secs = Math.floor(ms / 1000)
  return { secs, nanos: Math.round((ms - secs * 1000) * 1e6) }
}

/** Returns an argv as one would type it, with quotes around words that a shell would change. */
export function shellJoined(argv: readonly string[]): string {
  return argv.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Returns a command as clients show it: the script passed to a shell, or else the words. */
export function parsedCommand(argv: readonly string[]): readonly ParsedCommand[] {
  const [program = '', flag = '', script] = argv
  const isScript = /(^|\/)(ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && script !== undefined
  return [{ type: 'unknown', cmd: isScript ? script : shellJoined(argv) }]
}

/** Returns a patch as clients know it. Contents are read from the diffs, so they are cut where those were cut. */
export function fileChangesOf(changes: readonly ShownChange[]): FileChanges {
  return Object.fromEntries(changes.map((change) => [change.path, fileChangeOf(change)]))
}

function fileChangeOf({ kind, diff, movedTo }: ShownChange): FileChange {
  switch (kind) {
    case 'add':
      return { add: { content: sideOf(diff, '+') } }
    case 'delete':
      return { delete: { content: sideOf(diff, '-') } }
    case 'update':
      return { update: { unified_diff: diff, move_path: movedTo ?? null } }
  }
}

/** Returns the lines of a file that is added or deleted. */
function sideOf(diff: string, mark: '+' | '-'): string {
  const body = diff
    .split('\n')
    .slice(2)
    .filter((line) => line !== '' && !line.startsWith('@@'))
  const lines = body
    .filter((line) => !line.startsWith('\\'))
    .map((line) => (line.startsWith(mark) ? line.slice(1) : line))
  const isWhole = lines.length === body.length
  return lines.join('\n') + (lines.length > 0 && isWhole ? '\n' : '')
}

/** File of a patch, as its diff describes it. */
type ShownChange = Pick<FileChangeEntry, 'path' | 'kind' | 'movedTo' | 'additions' | 'deletions' | 'diff'>

const absent = '/dev/null'

/**
 * Reads the files of joined unified diffs, as a question about a patch shows them. Lines of a hunk are counted, since
 * a removed line may look like the start of the next file.
 */
export function readDiffs(text: string): readonly ShownChange[] {
  const files: string[][] = []
  let linesLeft = 0
  for (const line of text.split('\n')) {
    if (linesLeft <= 0 && line.startsWith('--- ')) files.push([])
    files.at(-1)?.push(line)
    linesLeft = line.startsWith('…') ? 0 : linesLeftAfter(line, linesLeft)
  }
  return files.map(changeIn)
}

/** Returns how many lines of the open hunk are left, both sides counted. */
function linesLeftAfter(line: string, linesLeft: number): number {
  if (linesLeft > 0)
    return linesLeft - (line.startsWith('\\') ? 0 : line.startsWith('+') || line.startsWith('-') ? 1 : 2)
  const [, before, after] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? []
  return line.startsWith('@@ ') ? Number(before ?? 1) + Number(after ?? 1) : 0
}

function changeIn(lines: readonly string[]): ShownChange {
  const [oldPath, newPath] = [pathIn(lines[0]), pathIn(lines[1])]
  const body = lines.slice(2)
  const counts = {
    additions: body.filter((line) => line.startsWith('+')).length,
    deletions: body.filter((line) => line.startsWith('-')).length,
  }
  const diff = `${lines.join('\n').replace(/\n+$/, '')}\n`
  if (oldPath === absent) return { path: newPath, kind: 'add', ...counts, diff }
  if (newPath === absent) return { path: oldPath, kind: 'delete', ...counts, diff }
  return { path: oldPath, kind: 'update', ...(newPath === oldPath ? {} : { movedTo: newPath }), ...counts, diff }
}

function pathIn(header = ''): string {
  return header.slice(4).split('\t', 1)[0] ?? ''
}
