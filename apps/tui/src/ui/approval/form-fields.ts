import type { Answer, Answers, ApprovalId, FormField } from '@parley/protocol'

/** Form in progress, one field after the other; the text of the current field is in the composer. */
export interface FilledForm {
  readonly approvalId: ApprovalId
  /** Index of the current field. */
  readonly at: number
  readonly answers: Answers
  /** Index of the chosen option; -1 while none is. */
  readonly choice: number
  /** Reason why the current field is invalid. */
  readonly problem: string | null
}

export interface FormOption {
  /** Answer; null leaves the field out. */
  readonly value: Answer | null
  readonly title: string
}

/** Returns the options; null for a field with text. */
export function optionsOf({ type, choices = [], required }: FormField): readonly FormOption[] | null {
  const empty: readonly FormOption[] = required ? [] : [{ value: null, title: 'leave it empty' }]
  if (type === 'boolean') return [{ value: true, title: 'yes' }, { value: false, title: 'no' }, ...empty]
  return type === 'choice' ? [...choices, ...empty] : null
}

/** Moves to the field with its earlier answer, else its default. */
export function atField(form: Omit<FilledForm, 'choice' | 'problem'>, field: FormField): FilledForm {
  const given = form.answers[field.name] ?? field.default ?? null
  const choice = optionsOf(field)?.findIndex(({ value }) => value === given) ?? -1
  return { ...form, choice, problem: null }
}

export function textAt({ answers }: Pick<FilledForm, 'answers'>, field: FormField): string {
  return optionsOf(field) === null ? String(answers[field.name] ?? field.default ?? '') : ''
}

/** Returns the field's answer, null if empty, or the problem with it. */
export function readField(
  field: FormField,
  { text, choice }: { readonly text: string; readonly choice: number },
): { readonly value: Answer | null } | { readonly problem: string } {
  const options = optionsOf(field)
  if (options !== null) {
    const chosen = options[choice]
    return chosen === undefined ? { problem: 'Choose one of them.' } : { value: chosen.value }
  }
  if (text.trim() === '') return field.required ? { problem: 'This is needed.' } : { value: null }
  return field.type === 'string' ? readText(text, field.format) : readNumber(text.trim(), field.type === 'integer')
}

/** Formats checked before sending; the tool server checks finally. */
const formats: Readonly<Record<NonNullable<FormField['format']>, { readonly fits: RegExp; readonly problem: string }>> =
  {
    email: { fits: /^[^\s@]+@[^\s@]+$/, problem: 'It must be an e-mail address.' },
    uri: { fits: /^[a-z][a-z0-9+.-]*:\S+$/i, problem: 'It must be a URL, e.g. https://example.org.' },
    date: { fits: /^\d{4}-\d\d-\d\d$/, problem: 'It must be a date like 2026-02-28.' },
    'date-time': {
      fits: /^\d{4}-\d\d-\d\dT\d\d:\d\d\S*(Z|[+-]\d\d:\d\d)$/,
      problem: 'It must be a time like 2026-02-28T12:00:00Z.',
    },
  }

function readText(
  text: string,
  format: FormField['format'],
): { readonly value: string } | { readonly problem: string } {
  return format === undefined || formats[format].fits.test(text)
    ? { value: text }
    : { problem: formats[format].problem }
}

function readNumber(text: string, isWhole: boolean): { readonly value: number } | { readonly problem: string } {
  const value = Number(text)
  if (Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value))) return { value }
  return { problem: isWhole ? 'It must be a whole number, e.g. 12.' : 'It must be a number, e.g. 1.5.' }
}

export function withAnswer(answers: Answers, name: string, value: Answer | null): Answers {
  const { [name]: _, ...others } = answers
  return value === null ? others : { ...others, [name]: value }
}
