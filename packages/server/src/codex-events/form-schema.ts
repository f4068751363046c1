import type { FormField } from '@parley/protocol'
import { hiddenWarnings, onOneLine } from '@parley/protocol/question'

export interface RequestedSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

/** Returns the JSON Schema of a form, as MCP clients show one. */
export function formSchema(fields: readonly FormField[]): RequestedSchema {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    ...(required.length === 0 ? {} : { required }),
  }
}

function propertyOf({ type, title, description, choices = [], default: preset }: FormField): Record<string, unknown> {
  const shown = {
    title: onOneLine(title),
    ...(description === undefined ? {} : { description: onOneLine(description) }),
    // A client could write it to a terminal as it is, and it must go back unchanged.
    ...(preset === undefined || hiddenWarnings(String(preset)).length > 0 ? {} : { default: preset }),
  }
  if (type === 'choices')
    return {
      type: 'array',
      ...shown,
      items: { anyOf: choices.map(({ value, title: words }) => ({ const: value, title: onOneLine(words) })) },
    }
  if (type !== 'choice') return { type, ...shown }
  return {
    type: 'string',
    ...shown,
    enum: choices.map(({ value }) => value),
    enumNames: choices.map((one) => onOneLine(one.title)),
  }
}
