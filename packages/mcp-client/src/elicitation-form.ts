import {
  type AnswerProblem,
  type Answers,
  answersProblem,
  type FieldAnswer,
  type Form,
  type FormField,
} from '@parley/protocol'
import * as z from 'zod'

/** Form of an MCP server's question, with the check of answers and their conversion for the server. */
export interface ElicitationForm {
  readonly form: Form
  check(answers: Answers): AnswerProblem | null
  /** Converts answers that passed `check`. */
  content(answers: Answers): Answers
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
  // A list has choices; there is no field for one of free texts.
  if (Object.values(properties).some((about) => about.type === 'array' && optionsOf(about).length === 0)) return null
  const asked = Object.entries(properties).map(([name, about]) => fieldFor(name, about, required.includes(name)))
  return {
    form: { fields: asked.map(({ field }) => field) },
    check: (answers) => checkAll(asked, withDefaults(asked, answers)),
    content(answers) {
      const filled = withDefaults(asked, answers)
      const known = new Set(asked.map(({ field }) => field.name))
      return Object.fromEntries(Object.entries(filled).filter(([name]) => known.has(name)))
    },
  }
}

function fieldFor(name: string, about: Property, required: boolean): LimitedField {
  const options = optionsOf(about)
  const description = [about.description ?? '', limitsText(about)].filter((text) => text !== '').join(' ')
  const initial = defaultOf(about.default)
  const field: FormField = {
    name,
    title: about.title ?? name,
    ...(description === '' ? {} : { description }),
    type: typeOf(about.type, options.length > 0),
    ...(about.type === 'string' && options.length === 0 ? formatOf(about) : {}),
    ...(options.length > 0 ? { choices: options } : {}),
    required,
    ...(initial === null ? {} : { default: initial }),
  }
  return { field, limits: about }
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
  if (hasChoices) return type === 'array' ? 'choices' : 'choice'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'string'
}

/** Returns a known format. Other formats are not checked. */
function formatOf({ format }: Property): Pick<FormField, 'format'> {
  const known = (['email', 'uri', 'date', 'date-time'] as const).find((name) => name === format)
  return known === undefined ? {} : { format: known }
}

function defaultOf(value: unknown): FieldAnswer | null {
  if (Array.isArray(value)) return value.map(String)
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

/** Keywords of JSON Schema that limit the answer to a field. */
interface FieldLimits {
  readonly format?: string | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
}

const formats: Readonly<Record<string, { readonly text: string; readonly fits: (text: string) => boolean }>> = {
  email: { text: 'an e-mail address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { text: 'a URL', fits: (text) => URL.canParse(text) },
  date: { text: 'a date like 2026-02-28', fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text) },
  'date-time': {
    text: 'a time like 2026-02-28T12:00:00Z',
    fits: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) && isDate(text),
  },
}

/** Describes the limits beside the field; an empty text without limits. */
function limitsText(limits: FieldLimits): string {
  return limitRules(limits)
    .map(({ text }) => text)
    .join(', ')
}

/** Returns a description of the first limit that the answer violates, or null. */
function problemWith(value: FieldAnswer, limits: FieldLimits): string | null {
  const broken = limitRules(limits).find(({ holds }) => !holds(value))
  return broken === undefined ? null : `needed: ${broken.text}`
}

interface LimitRule {
  readonly text: string
  readonly holds: (value: FieldAnswer) => boolean
}

function limitRules(limits: FieldLimits): LimitRule[] {
  const { format, minimum, maximum, minLength, maxLength, minItems, maxItems } = limits
  const known = format === undefined || !Object.hasOwn(formats, format) ? undefined : formats[format]
  const number = (value: FieldAnswer) => Number(value)
  const length = (value: FieldAnswer) => [...String(value)].length
  const count = (value: FieldAnswer) => (Array.isArray(value) ? value.length : 1)
  return [
    ...(known === undefined ? [] : [{ text: known.text, holds: (value: FieldAnswer) => known.fits(String(value)) }]),
    ...bound(minimum, 'at least #', (value, limit) => number(value) >= limit),
    ...bound(maximum, 'at most #', (value, limit) => number(value) <= limit),
    ...bound(minLength, '# characters or more', (value, limit) => length(value) >= limit),
    ...bound(maxLength, '# characters or fewer', (value, limit) => length(value) <= limit),
    ...bound(minItems, '# or more', (value, limit) => count(value) >= limit),
    ...bound(maxItems, '# or fewer', (value, limit) => count(value) <= limit),
  ]
}

function bound(
  limit: number | undefined,
  text: string,
  keeps: (value: FieldAnswer, limit: number) => boolean,
): LimitRule[] {
  if (limit === undefined) return []
  return [{ text: text.replace('#', String(limit)), holds: (value) => keeps(value, limit) }]
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}
