import { readdirSync, readFileSync } from 'node:fs'
import { type Line, lineText } from '@parley/presentation/text/span'

const folder = new URL('fixtures/', import.meta.url)

/** The fixture messages by name. */
export const corpus: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), readFileSync(new URL(name, folder), 'utf8')]),
)

export function fixturePath(name: string): string {
  return new URL(name, folder).pathname
}

export function plain(lines: readonly Line[]): string {
  return lines.map(lineText).join('\n')
}
