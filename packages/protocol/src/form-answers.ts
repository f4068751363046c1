import type { FormField } from './schema/approval.ts'
import type { Answers, FieldAnswer } from './schema/input.ts'

/** Problem of an answer that does not fit its field. */
export interface AnswerProblem {
  readonly field: string
  readonly message: string
}

/**
 * Returns the first problem of the answers to a form; null for valid answers. `limited` may find a problem in a text, a
 * number or a list of the right type.
 */
export function answersProblem(
  fields: readonly FormField[],
  answers: Answers,
  limited: (field: FormField, value: LimitedAnswer) => string | null,
): AnswerProblem | null {
  const stray = Object.keys(answers).find((name) => !fields.some((field) => field.name === name))
  if (stray !== undefined) return { field: stray, message: `There is no field "${stray}".` }
  for (const field of fields) {
    const { name, title } = field
    const value = Object.hasOwn(answers, name) ? answers[name] : undefined
    const problem = typeProblem(field, value) ?? (isLimited(field, value) ? limited(field, value) : null)
    if (problem !== null) return { field: name, message: `${title}: ${problem}.` }
  }
  return null
}

/** Answer with a limited length, size or number of choices. */
export type LimitedAnswer = Exclude<FieldAnswer, boolean>

function isLimited({ type }: FormField, value: FieldAnswer | undefined): value is LimitedAnswer {
  return type !== 'choice' && value !== undefined && typeof value !== 'boolean'
}

function typeProblem(field: FormField, value: FieldAnswer | undefined): string | null {
  if (value === undefined) return field.required ? 'an answer is needed' : null
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'true or false is needed'
    case 'number':
    case 'integer':
      if (typeof value !== 'number') return 'a number is needed'
      return field.type === 'integer' && !Number.isSafeInteger(value) ? 'a whole number is needed' : null
    case 'choice':
      return isChoice(field, value) ? null : 'it is not one of the choices'
    case 'choices':
      return listProblem(field, value)
    case 'string':
      return typeof value === 'string' ? null : 'text is needed'
  }
}

function listProblem(field: FormField, value: FieldAnswer): string | null {
  if (!Array.isArray(value)) return 'a list of the choices is needed'
  const isFitting = value.every((one) => isChoice(field, one)) && new Set(value).size === value.length
  return isFitting ? null : 'only the choices are needed, each once at most'
}

function isChoice({ choices = [] }: FormField, value: FieldAnswer): boolean {
  return choices.some((option) => option.value === value)
}
