import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importCountViolations } from './conventions.ts'
import { backwardCommentViolations, commentsOf } from './docstrings.ts'
import { folderPairViolations, unorderedFolderViolations } from './folders.ts'
import { portSpreadViolations } from './port-spreads.ts'
import { root, type Source } from './sources.ts'
import { typeNameViolations } from './type-names.ts'
import { createTypeTable } from './type-table.ts'
import { wideTypeViolations } from './wide-types.ts'

/** Violations by rule and package: `counts['packages/rpc']['spreads of ports']`. */
type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

export type RuleFindings = ReadonlyMap<string, readonly string[]>

const commentShare = 0.05
const file = join(root, 'scripts/layering/held.json')

/** Applies the rules that old code breaks; the sources of all packages decide together. */
export function findViolations(all: readonly Source[]): RuleFindings {
  const sources = all.filter(({ isTest }) => !isTest)
  const table = createTypeTable(sources)
  return new Map([
    ['folders without an order', unorderedFolderViolations(sources)],
    ['folders that import each other', folderPairViolations(sources)],
    ['types over 12 members', wideTypeViolations(sources, table)],
    ['spreads of ports', portSpreadViolations(sources, table)],
    ['files over 20 imports', sources.flatMap(importCountViolations)],
    ['types whose name has over 3 owners', typeNameViolations(sources, table)],
    ['comments that send the reader back', frequentIn(sources)],
  ])
}

/** Returns backward comments of packages with more than a small share of them. */
function frequentIn(sources: readonly Source[]): string[] {
  return [...Map.groupBy(sources, ({ home }) => home).values()].flatMap((own) => {
    const backward = own.flatMap(backwardCommentViolations)
    return backward.length > own.flatMap(commentsOf).length * commentShare ? backward : []
  })
}

/** Counts violations by package and rule, in the order of the alphabet, without zeros. */
export function countByPackage(findings: RuleFindings): Counts {
  const all = [...findings].flatMap(([rule, found]) => found.map((one) => ({ rule, home: homeOf(one) })))
  const homes = Map.groupBy(all, ({ home }) => home)
  const sorted = <Value>(entries: Iterable<[string, Value]>) =>
    Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)))
  return sorted(
    [...homes].map(([home, own]) => {
      const rules = [...Map.groupBy(own, ({ rule }) => rule)]
      return [home, sorted(rules.map(([rule, found]) => [rule, found.length]))]
    }),
  )
}

const homeOf = (finding: string): string => finding.split('/').slice(0, 2).join('/')

export const readHeld = (): Counts => JSON.parse(readFileSync(file, 'utf8'))

/** Returns how the present counts differ from the table; both directions are faults, so that no count comes back. */
export function heldViolations(held: Counts, now: Counts): string[] {
  const homes = new Set([...Object.keys(held), ...Object.keys(now)])
  return [...homes].flatMap((home) => {
    const rules = new Set([...Object.keys(held[home] ?? {}), ...Object.keys(now[home] ?? {})])
    return [...rules].flatMap((rule) => {
      const [before, after] = [held[home]?.[rule] ?? 0, now[home]?.[rule] ?? 0]
      if (after === before) return []
      const whatToDo = after > before ? 'see `node scripts/house.mjs`' : 'lower it by `npm run generate`'
      return [`${home}, ${rule}: held is ${before}, now ${after}: ${whatToDo}`]
    })
  })
}

/** Writes the present counts. A package may take over what another one had, but no rule's total may rise. */
export function lowerHeld(now: Counts): void {
  const raised = risenRules(readHeld(), now)
  if (raised.length > 0) throw new Error(`More than held: ${raised.join('; ')}. See \`node scripts/house.mjs\`.`)
  writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`)
}

/** Returns the rules with a higher total over all packages. */
export function risenRules(held: Counts, now: Counts): string[] {
  const [before, after] = [totals(held), totals(now)]
  return [...after]
    .filter(([rule, count]) => count > (before.get(rule) ?? 0))
    .map(([rule, count]) => `${rule} ${count} (held: ${before.get(rule) ?? 0})`)
}

function totals(counts: Counts): Map<string, number> {
  const sums = new Map<string, number>()
  for (const rules of Object.values(counts)) {
    for (const [rule, count] of Object.entries(rules)) sums.set(rule, (sums.get(rule) ?? 0) + count)
  }
  return sums
}
