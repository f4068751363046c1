import { isRecord } from '@parley/text'
import { mapValues, type Schema } from './keywords.ts'

const maxLength = 64

/** Names of properties as the model knows them, mapped to the names that the tool knows. */
export type RenamedProperties = Readonly<Record<string, string>>

/** Gives the properties at the top names of letters, digits, `_`, `.` and `-`, each one of its own. */
export function renameProperties(schema: Schema): { readonly schema: Schema; readonly renamed: RenamedProperties } {
  const { properties } = schema
  const odd = isRecord(properties) ? Object.keys(properties).filter((name) => !isPlain(name)) : []
  if (!isRecord(properties) || odd.length === 0) return { schema, renamed: {} }
  const taken = new Set(Object.keys(properties))
  const names = plainNames(odd, taken)
  const nameOf = (name: unknown) => (typeof name === 'string' ? (names.get(name) ?? name) : name)
  const changed = mapValues(schema, (value, keyword) => {
    if (keyword === 'properties')
      return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [nameOf(name), inner]))
    if (keyword === 'required' && Array.isArray(value)) return value.map(nameOf)
    return value
  })
  return { schema: changed, renamed: Object.fromEntries(names.entries().map(([name, plain]) => [plain, name])) }
}

function isPlain(name: string): boolean {
  return /^[a-zA-Z0-9_.-]{1,64}$/.test(name)
}

/** Returns plain names for odd ones, and adds them to the taken names. */
function plainNames(odd: readonly string[], taken: Set<string>): ReadonlyMap<string, string> {
  /** Numbers of the last names that began alike. */
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  for (const name of odd) {
    const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(0, maxLength) || '_'
    let count = counts.get(plain) ?? 0
    let numbered: string
    do {
      count += 1
      const ending = count === 1 ? '' : `_${count}`
      numbered = `${plain.slice(0, maxLength - ending.length)}${ending}`
    } while (taken.has(numbered))
    counts.set(plain, count)
    taken.add(numbered)
    names.set(name, numbered)
  }
  return names
}

/** Returns arguments by the names that the tool knows. */
export function originalArguments(args: Schema, renamed: RenamedProperties): Schema {
  const entries = Object.entries(args)
  return Object.fromEntries(
    entries.map(([name, value]) => [Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name, value]),
  )
}
