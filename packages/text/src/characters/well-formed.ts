/** Replaces lone surrogates in texts and keys of a JSON value by U+FFFD. Returns the same value without one. */
export function wellFormed<Value>(value: Value): Value {
  return healed(value) as Value // narrowed: only texts change, and stay texts
}

function healed(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list = value.map(healed)
    return list.every((one, index) => one === value[index]) ? value : list
  }
  return healedRecord(value)
}

function healedRecord(record: object): object {
  let isWhole = true
  const fields = Object.entries(record).map(([key, inner]): [string, unknown] => {
    const field: [string, unknown] = [key.toWellFormed(), healed(inner)]
    isWhole &&= field[0] === key && field[1] === inner
    return field
  })
  return isWhole ? record : Object.fromEntries(fields)
}

/** Returns the JSON text of a value, without lone surrogates. */
export function wellFormedJson(value: unknown): string {
  return wholeEscapes(JSON.stringify(value))
}

/** Replaces each escape of a lone surrogate in JSON text by U+FFFD; escaped pairs stay. */
export function wholeEscapes(json: string): string {
  return mayHaveHalf.test(json) ? json.replace(escapes, wholeEscape) : json
}

function wholeEscape(written: string): string {
  return loneHalf.test(written) ? '\\ufffd' : written
}

const mayHaveHalf = /\\u[dD][89a-fA-F]/
/** Matches escapes from left to right, so that an escaped backslash begins no escape. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g
const loneHalf = /^\\u.{4}$/
