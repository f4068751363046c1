/** Returns a value of JSON with U+FFFD for each half of a surrogate pair in its texts and keys; the same one where there is none. */
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

/** Returns the JSON text of a value, in which no half of a surrogate pair is left. */
export function wellFormedJson(value: unknown): string {
  return wholeEscapes(JSON.stringify(value))
}

/** Returns JSON text with U+FFFD for each escape of half a surrogate pair; of an escaped pair both halves stay. */
export function wholeEscapes(json: string): string {
  return mayHaveHalf.test(json) ? json.replace(escapes, wholeEscape) : json
}

function wholeEscape(written: string): string {
  return loneHalf.test(written) ? '\\ufffd' : written
}

const mayHaveHalf = /\\u[dD][89a-fA-F]/
/** Escapes from left to right, so that a backslash that is escaped begins none. */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g
const loneHalf = /^\\u.{4}$/
