import { ConfigError } from './config-schema.ts'
import { isTable, parseToml } from './toml.ts'

interface Setting {
  readonly table: string
  readonly key: string
  readonly value: string
}

/**
 * Returns the text of a TOML file with one key of a table set and the rest unchanged. Throws `ConfigError` for an
 * unreadable file, or if the key cannot be set.
 */
export function withSetting(text: string, setting: Setting, shownPath: string): string {
  const before = parseToml(text, shownPath)
  const after = written(text, setting)
  if (!isExactly(after, before, setting)) {
    const { table, key, value } = setting
    throw new ConfigError(
      shownPath,
      `is written in a way that nothing can be set in. Set ${key} = "${value}" of [${table}] by hand.`,
    )
  }
  return after
}

const anyTable = /^\s*\[/

function written(text: string, { table, key, value }: Setting): string {
  const lines = text.split('\n')
  const assignment = `${key} = ${JSON.stringify(value)}`
  const head = lines.findIndex((line) => new RegExp(`^\\s*\\[\\s*${table}\\s*\\]`).test(line))
  if (head < 0) {
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
    return `${text}${gap}[${table}]\n${assignment}\n`
  }
  const length = lines.slice(head + 1).findIndex((line) => anyTable.test(line))
  const end = length < 0 ? lines.length : head + 1 + length
  const set = new RegExp(`^(\\s*)${key}\\s*=\\s*(?:"[^"\\\\]*"|'[^']*')(.*)$`, 's')
  const at = lines.findIndex((line, index) => index > head && index < end && set.test(line))
  if (at < 0) return lines.toSpliced(head + 1, 0, assignment).join('\n')
  const line = (lines[at] ?? '').replace(set, (_, indent, rest) => `${indent}${assignment}${rest}`)
  return lines.with(at, line).join('\n')
}

/** Tells whether the text still has its former values, apart from this one setting. */
function isExactly(text: string, before: Record<string, unknown>, { table, key, value }: Setting): boolean {
  const given = before[table] ?? {}
  if (!isTable(given)) return false
  const wanted = { ...before, [table]: { ...given, [key]: value } }
  try {
    return canonical(parseToml(text, '')) === canonical(wanted)
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}

/** Writes a value so that the order of keys does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return String(part)
    return isTable(part) && !(part instanceof Date)
      ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : part
  })
}
