/**
 * A 64-bit chain value over JSON: equal for equal values whatever the order of their keys. Two FNV-1a lanes over
 * UTF-16 units; it tells folds apart in tests and between client and server, it does not resist an attacker.
 */
export function chainDigest(previous: string, value: unknown): string {
  const text = previous + canonical(value)
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995)
    high ^= high >>> 13
  }
  return hex32(high) + hex32(low)
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}

/** JSON with the keys of each object in order. Not `JSON.stringify` with a replacer, which takes three times as long. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isPlainObject(value)) return `{${membersOf(value).join(',')}}`
  return JSON.stringify(value) ?? 'null'
}

function membersOf(object: Record<string, unknown>): string[] {
  return Object.keys(object)
    .sort()
    .flatMap((key) => (object[key] === undefined ? [] : `${JSON.stringify(key)}:${canonical(object[key])}`))
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
