import type * as z from 'zod'

/** The path of the first field that does not fit, such as `input[0].text`, and what is wrong with it. */
export function fieldAtFault(error: z.ZodError): { readonly field: string; readonly problem: string } {
  const issue = error.issues[0]
  return { field: fieldPath(issue?.path ?? []), problem: issue?.message ?? 'not valid' }
}

function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  )
}
