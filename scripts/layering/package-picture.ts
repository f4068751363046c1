import { readFileSync } from 'node:fs'
import { withSection } from '../protocol/page-section.mjs'
import { arrows } from './import-rules.ts'

type Arrows = Readonly<Record<string, readonly string[]>>

/** Returns ARCHITECTURE.md with its picture of packages drawn anew. */
export function architecturePage(): string {
  const page = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8')
  return withSection(page, 'packages', `\`\`\`\n${packagePicture(arrows).join('\n')}\n\`\`\``)
}

/**
 * Returns lines of packages and the packages that they import, each line below all lines that lead to it. A line leaves
 * out the packages that it reaches by another one.
 */
export function packagePicture(allowed: Arrows): string[] {
  const targetsOf = (home: string) => (allowed[home] ?? []).map((name) => name.replace('@parley/', 'packages/'))
  const reachedFrom = (home: string): ReadonlySet<string> =>
    new Set(targetsOf(home).flatMap((target) => [target, ...reachedFrom(target)]))
  const heightOf = (home: string): number => targetsOf(home).reduce((most, one) => Math.max(most, heightOf(one) + 1), 0)
  const directTargets = (home: string): string => {
    const further = new Set(targetsOf(home).flatMap((target) => [...reachedFrom(target)]))
    return namesOf(targetsOf(home).filter((target) => !further.has(target)))
  }
  const drawn = Object.keys(allowed)
    .filter((home) => targetsOf(home).length > 0)
    .sort((one, other) => heightOf(other) - heightOf(one) || (one < other ? -1 : 1))
  const lines = [...Map.groupBy(drawn, directTargets)].map(([targets, homes]) => [namesOf(homes), targets] as const)
  const width = Math.max(...lines.map(([names]) => names.length))
  return lines.map(([names, targets]) => `${names.padEnd(width)} ──► ${targets}`)
}

const namesOf = (homes: readonly string[]): string => homes.map((home) => home.replace('packages/', '')).join('  ')
