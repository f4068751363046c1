import { isRecord } from '@parley/text'
import { type Field, fitValue, numberIn, withLine } from './fit-field.ts'
import { patchInCommand } from './patch-in-shell.ts'

/** Call with the arguments as the tool takes them; `name` differs where the call means another tool. */
export type FittedCall =
  | { readonly name: string; readonly args: unknown }
  /** Sentence for the model about the mistake. */
  | { readonly problem: string }

interface WrittenCall {
  readonly name: string
  /** Arguments as the model wrote them. */
  readonly arguments: string
}

interface FittableFields {
  /** Field that a text stands for where no object was written. */
  readonly alone?: string
  readonly fields: Readonly<Record<string, Field>>
}

const pathField: Field = {
  kind: 'path',
  otherNames: ['file_path', 'filePath', 'file', 'filename', 'file_name', 'target_file'],
}
const number: Field = { kind: 'number' }
const boolean: Field = { kind: 'boolean' }

/**
 * Fields of our own tools, with the other ways to write their arguments. Arguments of tool servers stay as they are.
 */
const table: Readonly<Record<string, FittableFields>> = {
  apply_patch: {
    alone: 'patch',
    fields: { patch: { otherNames: ['input', 'patch_text', 'diff', 'content', 'text', 'cmd', 'command'] } },
  },
  edit_file: {
    fields: {
      path: pathField,
      old: { otherNames: ['old_string', 'old_str', 'old_text', 'oldString', 'oldText', 'search'] },
      new: { otherNames: ['new_string', 'new_str', 'new_text', 'newString', 'newText', 'replace', 'replacement'] },
      all: { otherNames: ['replace_all', 'replaceAll'], kind: 'boolean' },
    },
  },
  write_file: { fields: { path: pathField, content: { otherNames: ['contents', 'text', 'file_text', 'data'] } } },
  read_file: {
    alone: 'path',
    fields: {
      path: pathField,
      offset: { ...number, least: 1, most: Number.MAX_SAFE_INTEGER, otherNames: ['start_line', 'line'] },
      limit: { ...number, least: 1, most: 5000, isOff: true },
    },
  },
  view_image: { alone: 'path', fields: { path: pathField } },
  list_dir: {
    alone: 'path',
    fields: {
      path: { kind: 'path', otherNames: ['dir_path', 'directory', 'dir', 'folder'] },
      depth: { ...number, least: 1, most: 8 },
      show_ignored: boolean,
    },
  },
  search: {
    alone: 'pattern',
    fields: {
      pattern: { otherNames: ['query', 'regex'] },
      path: pathField,
      globs: { kind: 'texts', otherNames: ['glob', 'include'] },
      literal: boolean,
      ignore_case: boolean,
      context_lines: { ...number, least: 0, most: 20 },
      include_ignored: boolean,
    },
  },
  shell: {
    alone: 'command',
    fields: {
      command: { otherNames: ['cmd', 'script', 'commands', 'argv'] },
      workdir: { otherNames: ['cwd', 'working_directory', 'dir'] },
      timeout_ms: { ...number, otherNames: ['timeoutMs'] },
      escalate: { ...boolean, otherNames: ['with_escalated_permissions'] },
      network: boolean,
      reason: { otherNames: ['justification'] },
      background: { ...boolean, otherNames: ['run_in_background', 'is_background'] },
    },
  },
}

/**
 * Reads the arguments of a call, also ones that almost fit: other names of a field, JSON inside a string, a text alone,
 * numbers in quotes, and a patch that a shell command would apply.
 */
export function fitCall({ name, arguments: written }: WrittenCall): FittedCall {
  const fields = table[name]
  const read = readArguments(written, fields)
  if ('problem' in read) return read
  if (fields === undefined) return { name, args: read.value }
  const args = withOwnNames(read.value, fields)
  if (!isRecord(args)) return { name, args }
  if (name === 'apply_patch') return { name, args: { ...args, patch: patchIn(args['patch'], fields) } }
  if (name === 'read_file') return { name, args: withLine(args) }
  return name === 'shell' ? fitCommand(args) : { name, args }
}

/** Returns the patch where a model gives the words of a command that applies it, or the JSON of a call as its text. */
function patchIn(given: unknown, fields: FittableFields): unknown {
  if (isArgv(given)) return given.at(-1)
  const inner = typeof given === 'string' && /^\s*["{[]/.test(given) ? parsedJson(given)?.value : undefined
  if (typeof inner === 'string' || isArgv(inner)) return patchIn(inner, fields)
  const named = withOwnNames(inner, fields)
  return isRecord(named) && 'patch' in named ? patchIn(named['patch'], fields) : given
}

type ParsedArguments = { readonly value: unknown } | { readonly problem: string }

function readArguments(written: string, fields: FittableFields | undefined): ParsedArguments {
  const parsed = parsedJson(written.trim() === '' ? '{}' : written)
  if (parsed === null) {
    if (fields?.alone === 'patch' && /^\s*(?:\*\*\* Begin Patch|<<)/.test(written)) return { value: { patch: written } }
    return { problem: notJson(written) }
  }
  const { value } = parsed
  if (typeof value !== 'string') return { value: Array.isArray(value) ? alone(value, fields) : value }
  const inner = /^\s*[{[]/.test(value) ? parsedJson(value) : null
  if (inner !== null) return { value: Array.isArray(inner.value) ? alone(inner.value, fields) : inner.value }
  return { value: alone(value, fields) }
}

function alone(value: unknown, fields: FittableFields | undefined): unknown {
  return fields?.alone === undefined ? value : { [fields.alone]: value }
}

/** Returns an object under the tool's own names, without fields that are null, which some models write for absent ones. */
function withOwnNames(value: unknown, { fields }: FittableFields): unknown {
  if (!isRecord(value)) return value
  const given = Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
  for (const [own, field] of Object.entries(fields)) {
    const { otherNames = [] } = field
    const other = own in given ? undefined : otherNames.find((name) => name in given && fields[name] === undefined)
    if (other !== undefined) {
      given[own] = given[other]
      delete given[other]
    }
    if (own in given) given[own] = fitValue(given[own], field)
    if (given[own] === undefined) delete given[own]
  }
  return given
}

/** Returns the call of `apply_patch` for a command that means it, before policy judges anything. */
function fitCommand(given: Readonly<Record<string, unknown>>): FittedCall {
  const { command: raw, workdir = '.' } = given
  const command = typeof raw === 'string' && raw.startsWith('[') ? (argvIn(raw) ?? raw) : raw
  const { timeout, sandbox_permissions: asked, ...rest } = given
  // As models are taught to ask that know Codex; else the command would run inside without a word.
  const escalation = asked === 'require_escalated' ? { escalate: true } : {}
  const args = { ...timeLimitOf(timeout), ...escalation, ...rest, command }
  if ((typeof command !== 'string' && !isArgv(command)) || typeof workdir !== 'string') return { name: 'shell', args }
  const found = patchInCommand({ command, workdir })
  if (found.kind === 'patch') return { name: 'apply_patch', args: { patch: found.patch } }
  if (found.kind === 'none') return { name: 'shell', args }
  const problem =
    'Not run: apply_patch is no program of this machine, and this command does more than apply a patch. Make the change with a tool of its own, then run the rest.'
  return { problem }
}

/** Reads `timeout`, which other programs count in ms or in seconds: below 1000 only seconds make sense. */
function timeLimitOf(timeout: unknown): { readonly timeout_ms?: number } {
  const written = numberIn(timeout)
  if (typeof written !== 'number') return {}
  return { timeout_ms: written < 1000 ? written * 1000 : written }
}

/** Returns the words of a command that was written as JSON in a string. */
function argvIn(text: string): readonly string[] | null {
  const value = parsedJson(text)?.value
  return isArgv(value) ? value : null
}

function isArgv(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')
}

function parsedJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function notJson(written: string): string {
  const length = `${written.length} characters`
  if (!isCut(written)) return `The arguments are not valid JSON.`
  return `The arguments end in the middle, after ${length}: the call was cut off. Send it again whole, in smaller pieces if it is long.`
}

/** Tests if a text is the beginning of a JSON object or array: all that was opened is not closed at its end. */
function isCut(text: string): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? ''
    if (inString && character === '\\') index += 1
    else if (character === '"') inString = !inString
    else if (!inString && '{['.includes(character)) depth += 1
    else if (!inString && '}]'.includes(character)) depth -= 1
  }
  return /^\s*[{[]/.test(text) && (inString || depth > 0)
}
