/** Value at a JSON pointer; undefined where there is none. */
export function valueAtPointer(value: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>((inner, key) => (isObject(inner) ? Reflect.get(inner, key) : undefined), value)
}

/** The same value with what is below the pointers taken out, so that the rest can be compared. */
export function withoutPointers(value: unknown, pointers: readonly string[], path = ''): unknown {
  if (pointers.includes(path)) return 'taken out'
  if (Array.isArray(value)) return value.map((inner, index) => withoutPointers(inner, pointers, `${path}/${index}`))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !pointers.includes(`${path}/${key}`))
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutPointers(inner, pointers, `${path}/${key}`)]))
}

function keysOf(pointer: string): readonly string[] {
  return pointer.split('/').slice(1)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
