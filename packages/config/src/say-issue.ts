import type { z } from 'zod'

/** Returns the fault of a value and the expected value, for schemas without a message of their own. */
export function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing, and must be ${kinds[issue.expected] ?? issue.expected}`
        : `must be ${kinds[issue.expected] ?? issue.expected}, and is ${kindOf(issue.input)}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_big':
      return `must ${amount(issue.origin, `at most ${issue.maximum}`)}`
    case 'too_small':
      return `must ${amount(issue.origin, `at least ${issue.minimum}`)}`
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list ([…])',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a table',
  record: 'a table',
  string: 'a text ("…")',
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : (found[typeof value] ?? 'a table')
}

const found: Readonly<Record<string, string>> = {
  bigint: 'a number',
  boolean: 'true or false',
  number: 'a number',
  string: 'a text',
}

const counted: Readonly<Record<string, { readonly one: string; readonly more: string }>> = {
  string: { one: 'character', more: 'characters' },
  array: { one: 'entry', more: 'entries' },
}

function amount(origin: string, limit: string): string {
  const what = counted[origin]
  return what === undefined ? `be ${limit}` : `have ${limit} ${limit.endsWith(' 1') ? what.one : what.more}`
}
