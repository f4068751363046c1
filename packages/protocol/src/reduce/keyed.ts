/** By own key only: ids come from a log, and one named `constructor` must not find what every object inherits. */
export function valueAt<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** The same record when the key is not in it, so that what did not change keeps its identity. */
export function without<Value>(record: Record<string, Value>, key: string): Record<string, Value> {
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _removed, ...rest } = record
  return rest
}
