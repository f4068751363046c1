import {
  type Answer,
  type AnswerProblem,
  type Answers,
  answersProblem,
  type Form,
  type FormField,
} from '@parley/protocol'
import * as z from 'zod'
import { type FieldLimits, limitsText, problemWith, splitAnswers } from './field-limits.ts'

/** Form of an MCP server's question, with the check of answers and their conversion for the server. */
export interface ElicitationForm {
  readonly form: Form
  check(answers: Answers): AnswerProblem | null
  /** Converts answers that passed `check`. */
  content(answers: Answers): Record<string, string | number | boolean | string[]>
}

const choice = z.object({ const: z.string(), title: z.string().optional() })
const choices = {
  enum: z.array(z.string()).optional(),
  oneOf: z.array(choice).optional(),
  anyOf: z.array(choice).optional(),
}
const property = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enumNames: z.array(z.string()).optional(),
  ...choices,
  items: z.looseObject(choices).optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
})
const requested = z.looseObject({
  properties: z.record(z.string(), property).optional(),
  required: z.array(z.string()).optional(),
})

type Property = z.infer<typeof property>

/** Field of the form with the limits of its schema. */
interface LimitedField {
  readonly field: FormField
  readonly limits: FieldLimits
}

/** Reads the requested schema; null when a form cannot represent it. */
export function readForm(schema: unknown): ElicitationForm | null {
  const parsed = requested.safeParse(schema)
  if (!parsed.success) return null
  const { properties = {}, required = [] } = parsed.data
  const asked = Object.entries(properties).map(([name, about]) => fieldFor(name, about, required.includes(name)))
  return {
    form: { fields: asked.map(({ field }) => field) },
    check: (answers) => checkAll(asked, withDefaults(asked, answers)),
    content(answers) {
      const filled = withDefaults(asked, answers)
      return Object.fromEntries(asked.flatMap((one) => contentOf(one, filled[one.field.name])))
    },
  }
}

function fieldFor(name: string, about: Property, required: boolean): LimitedField {
  const options = optionsOf(about)
  const isList = about.type === 'array'
  const limits: FieldLimits = { ...about, list: isList ? options : null }
  const description = [about.description ?? '', limitsText(limits)].filter((text) => text !== '').join(' ')
  const initial = defaultOf(about.default)
  const field: FormField = {
    name,
    title: about.title ?? name,
    ...(description === '' ? {} : { description }),
    type: isList ? 'string' : typeOf(about.type, options.length > 0),
    ...(about.type === 'string' && options.length === 0 ? formatOf(about) : {}),
    ...(options.length > 0 && !isList ? { choices: options } : {}),
    required,
    ...(initial === null ? {} : { default: initial }),
  }
  return { field, limits }
}

function optionsOf({
  enum: values,
  enumNames = [],
  oneOf,
  anyOf,
  items,
}: Property): { value: string; title: string }[] {
  const titled = oneOf ?? anyOf ?? items?.anyOf ?? items?.oneOf
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ value, title: title ?? value }))
  return (values ?? items?.enum ?? []).map((value, index) => ({ value, title: enumNames[index] ?? value }))
}

function typeOf(type: string | undefined, hasChoices: boolean): FormField['type'] {
  if (hasChoices) return 'choice'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'string'
}

/** Returns a known format. Other formats are not checked. */
function formatOf({ format }: Property): Pick<FormField, 'format'> {
  const known = (['email', 'uri', 'date', 'date-time'] as const).find((name) => name === format)
  return known === undefined ? {} : { format: known }
}

function defaultOf(value: unknown): Answer | null {
  if (Array.isArray(value)) return value.map(String).join(', ')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** Fills in the defaults of fields that the answers leave out, as clients do that show no form. */
function withDefaults(asked: readonly LimitedField[], answers: Answers): Answers {
  const defaults = asked.flatMap(({ field }) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  )
  return { ...Object.fromEntries(defaults), ...answers }
}

function checkAll(asked: readonly LimitedField[], answers: Answers): AnswerProblem | null {
  const limitsOf = new Map(asked.map(({ field, limits }) => [field, limits]))
  return answersProblem([...limitsOf.keys()], answers, (field, value) => {
    const limits = limitsOf.get(field)
    return limits === undefined ? null : problemWith(value, limits)
  })
}

function contentOf(
  { field: { name }, limits }: LimitedField,
  value: Answer | undefined,
): [string, Answer | string[]][] {
  if (value === undefined) return []
  return [[name, limits.list === null ? value : splitAnswers(String(value))]]
}
