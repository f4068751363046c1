import { importCountViolations } from './conventions.ts'
import { backwardCommentViolations, commentsOf } from './docstrings.ts'
import { folderPairViolations, unorderedFolderViolations } from './folders.ts'
import { portSpreadViolations } from './port-spreads.ts'
import type { Source } from './sources.ts'
import { typeNameViolations } from './type-names.ts'
import { createTypeTable } from './type-table.ts'
import { wideTypeViolations } from './wide-types.ts'

const commentShare = 0.05

/** Applies the rules that the sources of all packages decide together. Returns the violations by rule. */
export function findViolations(all: readonly Source[]): ReadonlyMap<string, readonly string[]> {
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
