/**
 * Computes a 64-bit chain value over JSON, equal for equal values whatever the order of their keys. Uses two FNV-1a
 * lanes over UTF-16 units. Compares states of client and server; it does not resist an attacker.
 */
export function chainDigest(previous: string, value: unknown): string {
  const lanes: Lanes = { low: 0x811c9dc5 | 0, high: 0x9747b28c | 0 }
  mixText(lanes, previous)
  mixValue(lanes, value)
  return hex32(lanes.high) + hex32(lanes.low)
}

/** Signed 32-bit numbers: V8 keeps them without allocating. */
interface Lanes {
  low: number
  high: number
}

/** Mixes a value directly: making its JSON with ordered keys would take four times as long. */
function mixValue(lanes: Lanes, value: unknown): void {
  if (typeof value === 'string') mixText(lanes, value)
  else if (Array.isArray(value)) mixList(lanes, value)
  else if (isObject(value)) mixObject(lanes, value)
  else mixText(lanes, `=${String(value ?? null)}`)
}

/** Mixes an object. As in JSON, keys with an undefined value do not count. */
function mixObject(lanes: Lanes, object: Record<string, unknown>): void {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined)
  mixSize(lanes, '{', keys.length)
  for (const key of keys.sort()) {
    mixText(lanes, key)
    mixValue(lanes, object[key])
  }
}

function mixList(lanes: Lanes, list: readonly unknown[]): void {
  mixSize(lanes, '[', list.length)
  for (const one of list) mixValue(lanes, one)
}

/** Mixes the size before the parts, so that different values give different sequences. */
function mixSize(lanes: Lanes, kind: string, size: number): void {
  mixUnits(lanes, `${kind}${size}:`)
}

function mixText(lanes: Lanes, text: string): void {
  mixSize(lanes, '"', text.length)
  mixUnits(lanes, text)
}

function mixUnits(lanes: Lanes, text: string): void {
  let { low, high } = lanes
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x5bd1e995)
    high ^= high >>> 13
  }
  lanes.low = low
  lanes.high = high
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}
