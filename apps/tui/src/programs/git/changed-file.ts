import type { FileChangeEntry } from '@parley/protocol'

/** File that differs. Lines of its `diff` that begin with `…` say what the others do not show. */
export interface ChangedFile extends FileChangeEntry {
  /** False where lines that differ are missing from `diff`. */
  readonly isWhole: boolean
  /** Command that shows all of it, typed in the folder. */
  readonly shownBy: string
}

/** Returns the lines that stand for what a diff does not show. */
export function remarkLines(remarks: readonly string[]): string {
  return remarks.map((remark) => `… ${remark}\n`).join('')
}
