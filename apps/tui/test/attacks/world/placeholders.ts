/** Values by name without braces. */
export type Places = Readonly<Record<string, string>>

/** Text of a case with its placeholders filled in; one that has no value is a mistake in the table. */
export function filled(text: string, places: Places): string {
  return text
    .replace(/\{REPEAT:(.*?):(\d+)\}/g, (_, repeated: string, times: string) => repeated.repeat(Number(times)))
    .replace(/\{PAD:(\d+)\}/g, (_, length: string) => 'x'.repeat(Number(length)))
    .replace(/\{([A-Z_]+)\}/g, (whole, name: string) => places[name] ?? whole)
}

/** The same for every text inside. */
export function filledDeep<Value>(value: Value, places: Places): Value {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'string' ? filled(inner, places) : inner,
  )
}
