/** A change of any depth throws from then on. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

export function throughJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value))
}
