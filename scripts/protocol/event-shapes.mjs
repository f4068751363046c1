import * as approvals from '../../packages/protocol/src/schema/approval.ts'
import * as callParts from '../../packages/protocol/src/schema/call-parts.ts'
import * as events from '../../packages/protocol/src/schema/event.ts'
import * as eventParts from '../../packages/protocol/src/schema/event-parts.ts'
import * as inputs from '../../packages/protocol/src/schema/input.ts'
import * as items from '../../packages/protocol/src/schema/item.ts'
import * as settings from '../../packages/protocol/src/schema/settings.ts'

const named = { ...approvals, ...callParts, ...events, ...eventParts, ...inputs, ...items, ...settings }

/** Text of `packages/protocol/src/event-shapes.ts`: the shape of each event, and of what several of them hold. */
export function eventShapesText() {
  const shared = sharedShapes(events.conversationEvent)
  const ofEvents = events.conversationEvent.options.map((option) => {
    const { type: _, ...fields } = option.shape
    return [option.shape.type.value, shapeOfFields(fields, shared)]
  })
  const rows = [...[...shared.values()].map(({ name, shape }) => [`#${name}`, shape()]), ...ofEvents]
  return `${head}${rows.map(([name, shape]) => row(name, `'${JSON.stringify(shape)}',`)).join('\n')}\n}\n`
}

/** Returns a row as the formatter writes it: on one line where it fits. */
function row(name, text) {
  const line = `  '${name}': ${text}`
  return line.length <= 120 ? line : `  '${name}':\n    ${text}`
}

const head = `// Written by \`npm run generate\` from the schemas in schema/. Do not edit.

/**
 * Shapes of the fields of events by type, as JSON: objects list fields (\`?\`: optional), lists are \`=\` words, \`list\`,
 * \`map\` or \`or\`, texts name a kind or \`#\` shape.
 */
export const eventShapes: Readonly<Record<string, string>> = {
`

/** Returns the named schemas that events hold, with their shapes, in the order of their names. A description makes a new schema with the same definition. */
function sharedShapes(root) {
  const exported = new Map(Object.entries(named).map(([name, schema]) => [schema.def, name]))
  const used = new Map()
  const visit = (schema) => {
    const name = schema === root ? undefined : exported.get(schema.def)
    if (used.has(schema.def)) return
    if (name !== undefined && isCompound(schema)) used.set(schema.def, { name, schema })
    for (const inner of partsOf(schema)) visit(inner)
  }
  visit(root)
  const shared = new Map()
  for (const [def, { name, schema }] of [...used].sort(([, one], [, other]) => (one.name < other.name ? -1 : 1)))
    shared.set(def, { name, shape: () => shapeOfContent(schema, shared) })
  return shared
}

function isCompound({ def }) {
  return def.type === 'object' || def.type === 'union' || def.type === 'enum'
}

function partsOf({ def }) {
  switch (def.type) {
    case 'object':
      return Object.values(def.shape)
    case 'array':
      return [def.element]
    case 'union':
      return def.options
    case 'record':
      return [def.valueType]
    default:
      return 'innerType' in def ? [def.innerType] : []
  }
}

function shapeOf(schema, shared) {
  const known = shared.get(schema.def)
  return known === undefined ? shapeOfContent(schema, shared) : `#${known.name}`
}

function shapeOfContent(schema, shared) {
  const { def } = schema
  switch (def.type) {
    case 'object':
      return shapeOfFields(def.shape, shared)
    case 'array':
      return ['list', shapeOf(def.element, shared)]
    case 'record':
      return ['map', shapeOf(def.valueType, shared)]
    case 'union':
      return ['or', ...def.options.map((option) => shapeOf(option, shared))]
    case 'nullable':
      return ['or', 'null', shapeOf(def.innerType, shared)]
    case 'enum':
      return ['=', ...Object.values(def.entries)]
    case 'literal':
      return ['=', ...def.values]
    case 'string':
      return limitsOf(def).some(({ check, minimum }) => check === 'min_length' && minimum > 0) ? 'text+' : 'text'
    case 'number':
      return numberShape(def)
    case 'boolean':
      return 'boolean'
    case 'unknown':
      return 'any'
    default:
      throw new Error(`no shape for a schema of type ${def.type}`)
  }
}

function shapeOfFields(fields, shared) {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) =>
      field.def.type === 'optional' ? [`${key}?`, shapeOf(field.def.innerType, shared)] : [key, shapeOf(field, shared)],
    ),
  )
}

/** Returns `number` or `int`, with `>=` or `>` and the least value where the schema has one. */
function numberShape(def) {
  const least = limitsOf(def).find(({ check }) => check === 'greater_than')
  const kind = def.format === 'safeint' ? 'int' : 'number'
  return least === undefined ? kind : `${kind}${least.inclusive ? '>=' : '>'}${least.value}`
}

function limitsOf({ checks = [] }) {
  return checks.map((check) => check._zod.def)
}
