/** Returns a JSON Schema as text for a table cell. */
export function typeText(schema) {
  if (schema.$ref !== undefined) return link(schema.$ref)
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(code).join(' \\| ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(typeText).join(' or ')
  if (Array.isArray(schema.type)) return schema.type.join(' or ')
  switch (schema.type) {
    case 'array':
      return `${schema.minItems === 1 ? 'non-empty ' : ''}array of ${typeText(schema.items)}`
    case 'object':
      return objectText(schema)
    case 'string':
      return stringText(schema)
    case 'integer':
    case 'number':
      return numberText(schema)
    default:
      return schema.type ?? 'any'
  }
}

function objectText({ additionalProperties, properties }) {
  if (typeof additionalProperties === 'object' && Object.keys(properties ?? {}).length === 0)
    return `map of string to ${typeText(additionalProperties)}`
  return 'object'
}

function stringText({ minLength, maxLength }) {
  const kind = minLength === 1 ? 'non-empty string' : 'string'
  return maxLength === undefined ? kind : `${kind}, at most ${maxLength}`
}

function numberText({ type, minimum, maximum }) {
  if (minimum !== undefined && maximum !== undefined) return `${type} ${minimum} to ${maximum}`
  return minimum === undefined ? type : `${type} ≥ ${minimum}`
}

function code(value) {
  return `\`${JSON.stringify(value)}\``
}

function link(ref) {
  const name = nameOf({ $ref: ref })
  return `[${name}](#${name.toLowerCase()})`
}

export function nameOf({ $ref }) {
  return $ref.split('/').at(-1)
}
