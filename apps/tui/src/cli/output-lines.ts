import { showEffects } from '@parley/presentation/text/control-characters'

/** Returns the values as JSON, one a line. */
export function jsonLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

/** Returns the lines for people, with control characters shown by number. */
export function shownLines(lines: readonly string[]): string {
  return lines.map((line) => `${showEffects(line)}\n`).join('')
}
