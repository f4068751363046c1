import type { JsonSchemaObject } from '../port/model-client.ts'
import { anySchema, type ToolRules } from '../port/tool-rules.ts'
import { foldChoices } from './fold-choices.ts'
import type { Schema } from './keywords.ts'
import { type RenamedProperties, renameProperties } from './plain-names.ts'
import { resolveReferences } from './references.ts'
import { validSchema } from './valid-schema.ts'

/** Tool as others describe it. */
interface ForeignTool {
  readonly description: string
  readonly parameters: Schema
}

/** Tool in the form that an API takes. */
export interface FittedTool {
  readonly description: string
  readonly parameters: JsonSchemaObject
  /** Empty where no property was renamed. */
  readonly renamed: RenamedProperties
  /** Keywords that are missing from the schema, with their meaning. */
  readonly folded: readonly string[]
}

/** Adapts a foreign tool to the rules of an API. A tool that fits stays as it is, byte by byte. */
export function fitTool({ description, parameters }: ForeignTool, rules: ToolRules = anySchema): FittedTool {
  const { schema: flat, keywords, choices } = foldChoices(parameters, rules.notAtTop)
  const { schema: named, renamed } = rules.plainNames ? renameProperties(flat) : { schema: flat, renamed: {} }
  const resolved = resolveReferences(validSchema(named, rules), parameters, rules)
  return {
    description: choices.length === 0 ? description : `${description}\n\n${choiceText(choices, renamed)}`.trim(),
    parameters: { ...resolved, type: 'object', ...('properties' in resolved ? {} : { properties: {} }) },
    renamed,
    folded: keywords,
  }
}

/** Most choices that a description names. */
const maxChoices = 10

/** Says in words which choices the schema had. */
function choiceText(choices: readonly (readonly string[])[], renamed: RenamedProperties): string {
  const known = new Map(Object.entries(renamed).map(([plain, name]) => [name, plain]))
  const shown = choices.slice(0, maxChoices).map((names) => names.map((name) => known.get(name) ?? name).join(' and '))
  return `It needs one of these: ${shown.join('; ')}${choices.length > maxChoices ? '; …' : ''}.`
}
