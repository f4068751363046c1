import { conversationEvent } from '../../packages/protocol/src/schema/event.ts'
import { redactionMarks } from '../../packages/protocol/src/schema/redaction-marks.ts'

/** Text of `packages/protocol/src/redaction-table.ts`: the marks of all events, by type and path. */
export function redactionTableText() {
  const events = conversationEvent.options.map((option) => [option.shape.type.value, markedFields(option)])
  const rows = events.flatMap(([type, fields]) => rowsOf(type, fields))
  const declared = "export const redactionTable: Readonly<Record<ConversationEvent['type'], RedactionExceptions>> = {"
  return `${head}${declared}\n${rows.join('\n')}\n${tail}`
}

const head = `// Written by \`npm run generate\` from the marks in schema/. Do not edit.
import type { ConversationEvent } from './schema/event.ts'
import type { OpenForm } from './schema/redaction-marks.ts'

/** Fields of one type of event that redaction does not treat as plain text, by path. Lists add nothing to a path. */
export interface RedactionExceptions {
  readonly leave: readonly string[]
  /** Fields in \`leave\` that name side files. */
  readonly sideFiles?: readonly string[]
  /** JSON texts, which must remain JSON. */
  readonly json?: readonly string[]
  readonly open?: Readonly<Record<string, OpenForm>>
}

`
const tail = '}\n'

function rowsOf(type, fields) {
  const paths = (key) => fields.filter(({ mark }) => key in mark).map(({ path }) => path)
  const [leave, json, open] = [paths('leave'), paths('json'), fields.filter(({ mark }) => 'open' in mark)]
  const sideFiles = fields.filter(({ mark }) => mark.leave === 'sideFile').map(({ path }) => path)
  const line = `  ${quoted(type)}: { leave: [${leave.map((path) => `'${path}'`).join(', ')}] },`
  if (json.length + open.length + sideFiles.length === 0 && line.length <= 120) return [line]
  return [
    `  ${quoted(type)}: {`,
    ...list(4, 'leave', leave),
    ...(sideFiles.length === 0 ? [] : list(4, 'sideFiles', sideFiles)),
    ...(json.length === 0 ? [] : list(4, 'json', json)),
    ...(open.length === 0 ? [] : ['    open: {', ...open.flatMap(openRows), '    },']),
    '  },',
  ]
}

function openRows({ path, mark: { open } }) {
  return [`      ${quoted(path)}: {`, ...list(8, 'leave', open.leave), ...list(8, 'json', open.json), '      },']
}

/** Returns a list as the formatter writes it: on one line where it fits. */
function list(indent, key, texts) {
  const before = ' '.repeat(indent)
  const line = `${before}${key}: [${texts.map((text) => `'${text}'`).join(', ')}],`
  if (line.length <= 120) return [line]
  return [`${before}${key}: [`, ...texts.map((text) => `${before}  '${text}',`), `${before}],`]
}

const quoted = (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`)

/**
 * The marked fields of a schema: paths and marks, sorted by path. A field that has different marks in two members of a
 * union throws, and so does one inside a map, which has no path.
 * @returns {{ path: string, mark: object }[]}
 */
export function markedFields(schema) {
  const found = new Map()
  for (const { path, mark } of fieldsOf(schema, '')) {
    const known = found.get(path) ?? mark
    if (JSON.stringify(known) !== JSON.stringify(mark)) throw new Error(`${path} has different marks`)
    found.set(path, mark)
  }
  return [...found]
    .filter(([, mark]) => !('none' in mark))
    .map(([path, mark]) => ({ path, mark }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

function fieldsOf(schema, path) {
  const mark = redactionMarks.get(schema)
  if (mark !== undefined) return [{ path, mark }]
  const { def } = schema
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, field]) => fieldsOf(field, path === '' ? key : `${path}.${key}`))
    case 'array':
      return fieldsOf(def.element, path)
    case 'union':
      return unionFields(def.options, path)
    case 'record':
      if (fieldsOf(def.valueType, path).some(({ mark: inner }) => !('none' in inner)))
        throw new Error(`${path} is a map with marks inside`)
      return [{ path, mark: { none: true } }]
    case 'literal':
      // Its value is written in the schema, so it is no secret.
      return [
        { path, mark: def.values.every((value) => typeof value === 'string') ? { leave: 'word' } : { none: true } },
      ]
    default:
      return 'innerType' in def ? fieldsOf(def.innerType, path) : [{ path, mark: { none: true } }]
  }
}

/** Returns the fields of a union. Its words are not marked where it also takes other texts, which are redacted. */
function unionFields(options, path) {
  const fields = options.flatMap((option) => fieldsOf(option, path))
  const isMixed = fields.some((field) => field.path === path && 'none' in field.mark)
  const isWord = (field) => field.path === path && field.mark.leave === 'word'
  return isMixed ? fields.map((field) => (isWord(field) ? { path, mark: { none: true } } : field)) : fields
}
