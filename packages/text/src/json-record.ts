/** Tells if a value of JSON is an object: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON object; undefined for any other text. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}

type WithoutUndefined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

/** Returns the fields that are not undefined, in their order. */
export function withoutUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as WithoutUndefined<Fields> // narrowed: the same keys without undefined ones
}
