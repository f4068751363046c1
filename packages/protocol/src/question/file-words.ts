import type { AskedFile } from '../schema/approval.ts'
import { onOneLine } from './collapse-blanks.ts'

export type ListedFile = Omit<AskedFile, 'before' | 'after'>

const verbs = { add: 'add', update: 'change', delete: 'delete' } as const

/** One file of a patch on a line: what happens to it, its path, its counts of lines, and the bytes that are deleted. */
export function fileWords({ kind, path, movedTo, additions, deletions, deletedBytes }: ListedFile): string {
  const verb = movedTo === undefined ? verbs[kind] : 'move'
  const where = movedTo === undefined ? onOneLine(path) : `${onOneLine(path)} → ${onOneLine(movedTo)}`
  return `${verb} ${where} (+${additions} −${deletions}${deletedBytes === undefined ? '' : `, ${deletedBytes} bytes`})`
}
