import type { AskedFile } from '../schema/approval.ts'
import { onOneLine } from './collapse-blanks.ts'

export type ListedFile = Omit<AskedFile, 'before' | 'after'>

const verbs = { add: 'add', update: 'change', delete: 'delete' } as const

/** One file of a patch on a line: what happens to it, its path, its counts of lines, and the bytes that are deleted. */
export function fileWords({ kind, additions, deletions, deletedBytes, ...at }: ListedFile): string {
  const path = placeWords(at.path, at.real)
  const target = at.movedTo === undefined ? '' : ` → ${placeWords(at.movedTo, at.realMovedTo)}`
  const size = deletedBytes === undefined ? '' : `, ${deletedBytes} bytes`
  return `${target === '' ? verbs[kind] : 'move'} ${path}${target} (+${additions} −${deletions}${size})`
}

function placeWords(path: string, real: string | undefined): string {
  return real === undefined ? onOneLine(path) : `${onOneLine(path)} (leads to ${onOneLine(real)})`
}
