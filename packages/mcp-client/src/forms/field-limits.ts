import type { FieldAnswer } from '@parley/protocol'

/** Keywords of JSON Schema that limit the answer to a field. */
export interface FieldLimits {
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

/** Describes the limits beside the field; empty when there are none. */
export function limitsText(limits: FieldLimits): string {
  return limitRules(limits)
    .map(({ text }) => text)
    .join(', ')
}

/** Returns a description of the first limit that the answer violates, or null. */
export function problemWith(value: FieldAnswer, limits: FieldLimits): string | null {
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
