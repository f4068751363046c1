import { join } from 'node:path'
import { readIfExists } from '@parley/host'
import { type Files, makeFolders, replaceFile } from '@parley/journal'

/** Newest decisions that this home has seen in a store, by their numbers. */
interface SeenDecisions {
  /** Returns the number of the newest decision; 0 where this home has seen no decision. */
  newest(seal: string): number
  /** Keeps a number unless a greater one is known. */
  note(seal: string, number: number): void
}

/** Keeps a file for each decision, named by a seal of its name, which tells stores apart. */
export function seenDecisions(home: string, files: Files): SeenDecisions {
  const folder = join(home, 'trust', 'seen')
  const pathOf = (seal: string) => join(folder, seal.replaceAll(/[^\w-]/g, '_'))
  const newest = (seal: string) => Number(readIfExists(pathOf(seal)) ?? 0)
  return {
    newest,
    note(seal, number) {
      if (number <= newest(seal)) return
      makeFolders(files, folder)
      replaceFile(files, pathOf(seal), `${number}\n`)
    },
  }
}
