import { escaped, fieldTable } from './field-table.mjs'
import { nameOf, typeText } from './type-text.mjs'

/** Words for the access of a client with `access: "readOnly"` to a method. */
const forReadOnly = {
  look: ' *A look-up.*',
  join: ' *A look-up when it is open on this server already and nothing is overridden, or with `readOnly`.*',
  change: '',
}

export function methodSection({ 'x-methods': methods, $defs }) {
  const sections = Object.entries(methods).map(([name, { description, access, params, result }]) =>
    [
      `### \`${name}\``,
      `${description}${forReadOnly[access]}`,
      `Parameters:\n\n${fieldTable($defs[nameOf(params)])}`,
      nameOf(result).endsWith('Result')
        ? `Result:\n\n${fieldTable($defs[nameOf(result)])}`
        : `Result: ${typeText(result)}.`,
    ].join('\n\n'),
  )
  return sections.join('\n\n')
}

export function notificationSection({ 'x-notifications': notifications }) {
  const rows = Object.entries(notifications).map(
    ([name, { description, params }]) => `| \`${name}\` | ${typeText(params)} | ${escaped(description)} |`,
  )
  return ['| notification | params | |', '|---|---|---|', ...rows].join('\n')
}

export function eventSection({ $defs }) {
  const sections = $defs.ConversationEvent.oneOf.map((option) => {
    const event = $defs[nameOf(option)]
    return `### \`${event.properties.type.const}\`\n\n${event.description}\n\n${fieldTable(event, { without: ['type'] })}`
  })
  return sections.join('\n\n')
}

/** Lists the common fields of all items once, and the common fields of all calls once. */
export function itemSection({ $defs }) {
  const items = $defs.Item.oneOf.map((option) => $defs[nameOf(option)])
  const calls = items.filter(({ properties }) => properties.tool !== undefined)
  const everyItem = sharedFields(items)
  const everyCall = sharedFields(calls)
  const callFields = { without: Object.keys(everyItem.properties) }
  return [
    `### Every item\n\n${fieldTable(everyItem)}`,
    `### Every call of the model\n\n${fieldTable(everyCall, callFields)}`,
    ...items.map((item) => oneItem(item, calls.includes(item) ? everyCall : everyItem)),
  ].join('\n\n')
}

function oneItem(item, shared) {
  const kind = shared.properties.tool === undefined ? '' : ' A call.'
  const without = ['type', ...Object.keys(shared.properties)]
  const fields = fieldTable(item, { without, ifEmpty: 'No further fields.' })
  return `### \`${item.properties.type.const}\`\n\n${item.description}${kind}\n\n${fields}`
}

function sharedFields(objects) {
  const [first] = objects
  const isShared = ([key, schema]) =>
    objects.every(({ properties }) => JSON.stringify(properties[key]) === JSON.stringify(schema))
  const properties = Object.fromEntries(Object.entries(first.properties).filter(isShared))
  return { properties, required: first.required.filter((key) => key in properties) }
}

export function typeSection({ $defs }, names) {
  return names.map((name) => oneType(name, $defs[name])).join('\n\n')
}

function oneType(name, schema) {
  const about = schema.description === undefined ? '' : `\n\n${schema.description}`
  if (schema.properties !== undefined) return `### ${name}${about}\n\n${fieldTable(schema)}`
  const choices = (schema.oneOf ?? []).filter(({ properties }) => properties !== undefined)
  if (choices.length === 0) return `### ${name}${about}\n\n${typeText(schema)}`
  return `### ${name}${about}\n\n${choices.map((choice) => fieldTable(choice)).join('\n\n')}`
}
