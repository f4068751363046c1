import { conversationEvent } from '../../packages/protocol/src/schema/event.ts'
import { item } from '../../packages/protocol/src/schema/item.ts'
import { redactionMarks } from '../../packages/protocol/src/schema/redaction-marks.ts'

/** Text of `packages/protocol/src/redaction-table.ts`: the marks of all events, by type and path. */
export function redactionTableText() {
  const events = conversationEvent.options.map((option) => [option.shape.type.value, markedFields(option)])
  const rows = events.flatMap(([type, fields]) => rowsOf(type, fields))
  const declared = "export const redactionTable: Readonly<Record<ConversationEvent['type'], RedactionExceptions>> = {"
  const ofItem = ['const item = {', ...listsOf(2, itemFields), '} as const satisfies RedactionExceptions']
  return `${head}${ofItem.join('\n')}\n\n${declared}\n${rows.join('\n')}\n${tail}`
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

/** Fields of an item, which several events have. */
`
const tail = `}

/** Adds the fields of the item at a path of an event. */
function withItem(path: string, { leave, json = [] }: RedactionExceptions): RedactionExceptions {
  const below = (fields: readonly string[]) => fields.map((field) => \`\${path}.\${field}\`)
  return {
    leave: [...leave, ...below(item.leave)],
    sideFiles: below(item.sideFiles),
    json: [...json, ...below(item.json)],
    open: { [\`\${path}.facts\`]: item.open.facts },
  }
}
`

const itemFields = markedFields(item)

function rowsOf(type, fields) {
  const [at] = ['item', 'rewritten.item'].filter((path) => fields.some((field) => field.path === `${path}.id`))
  if (at === undefined) return exceptionsOf(`  ${quoted(type)}: `, fields, ',')
  const ofItem = new Set(itemFields.map(({ path }) => `${at}.${path}`))
  const others = fields.filter(({ path }) => !ofItem.has(path))
  if (others.length + ofItem.size !== fields.length) throw new Error(`${type} has a part of an item at ${at}`)
  return exceptionsOf(`  ${quoted(type)}: withItem('${at}', `, others, '),')
}

/** Returns an object with the lists as the formatter writes it: on one line where it has one list and fits. */
function exceptionsOf(before, fields, after) {
  const lists = listsOf(4, fields)
  const line = `${before}{ ${lists[0].trim().slice(0, -1)} }${after}`
  return lists.length === 1 && line.length <= 120 ? [line] : [`${before}{`, ...lists, `  }${after}`]
}

/** Returns the lines of the lists of marked fields, as they stand in an object. */
function listsOf(indent, fields) {
  const paths = (key) => fields.filter(({ mark }) => key in mark).map(({ path }) => path)
  const [leave, json, open] = [paths('leave'), paths('json'), fields.filter(({ mark }) => 'open' in mark)]
  const sideFiles = fields.filter(({ mark }) => mark.leave === 'sideFile').map(({ path }) => path)
  const before = ' '.repeat(indent)
  return [
    ...list(indent, 'leave', leave),
    ...(sideFiles.length === 0 ? [] : list(indent, 'sideFiles', sideFiles)),
    ...(json.length === 0 ? [] : list(indent, 'json', json)),
    ...(open.length === 0 ? [] : [`${before}open: {`, ...open.flatMap((one) => openRows(indent, one)), `${before}},`]),
  ]
}

function openRows(indent, { path, mark: { open } }) {
  const before = ' '.repeat(indent + 2)
  return [
    `${before}${quoted(path)}: {`,
    ...list(indent + 4, 'leave', open.leave),
    ...list(indent + 4, 'json', open.json),
    `${before}},`,
  ]
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
