import { typeText } from './type-text.mjs'

/**
 * Returns the Markdown table of an object's fields; objects without a name follow below their field.
 * @param {object} schema
 * @param {{ without?: string[], ifEmpty?: string }} [options]
 */
export function fieldTable(schema, { without = [], ifEmpty = 'No fields.' } = {}) {
  const rows = fieldRows(schema, '').filter(({ name }) => !without.includes(name))
  if (rows.length === 0) return ifEmpty
  const lines = rows.map(({ name, type, required, about }) => `| \`${name}\` | ${type} | ${required} | ${about} |`)
  return ['| field | type | required | |', '|---|---|---|---|', ...lines].join('\n')
}

function fieldRows({ properties = {}, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([key, schema]) => [
    {
      name: prefix + key,
      type: typeText(schema),
      required: required.includes(key) ? 'yes' : 'no',
      about: escaped(schema.description ?? ''),
    },
    ...nestedRows(schema, prefix + key),
  ])
}

function nestedRows(schema, name) {
  if (schema.$ref !== undefined) return []
  if (schema.properties !== undefined) return fieldRows(schema, `${name}.`)
  if (schema.items !== undefined) return nestedRows(schema.items, `${name}[]`)
  if (typeof schema.additionalProperties === 'object') return nestedRows(schema.additionalProperties, `${name}.*`)
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((choice) => nestedRows(choice, name))
}

export function escaped(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
