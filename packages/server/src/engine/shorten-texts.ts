/** A copy in which no text is longer than `length` characters but by a sign that it was cut. */
export function shortenTexts<Value>(value: Value, length: number): Value {
  return shortened(value, length) as Value // narrowed: only texts change, and stay texts
}

function shortened(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length <= length ? value : cut(value, length)
  if (Array.isArray(value)) return value.map((one: unknown) => shortened(one, length))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one, length)]))
}

function cut(text: string, length: number): string {
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}… (cut)`
}
