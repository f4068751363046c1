import type { FileChangeEntry } from '@parley/protocol'

/** File that differs. Lines of its `diff` that begin with `…` are remarks about facts that the other lines do not show. */
export interface ChangedFile extends FileChangeEntry {
  /** False if changed lines are missing from `diff`. */
  readonly isWhole: boolean
  /** Command that shows the whole diff, typed in the folder. */
  readonly shownBy: string
}

export function remarkLines(remarks: readonly string[]): string {
  return remarks.map((remark) => `… ${remark}\n`).join('')
}
