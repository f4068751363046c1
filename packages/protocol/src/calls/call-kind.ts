import type { CallItem, CallKind } from '../schema/item.ts'

/** Returns the kind of a call; of one from a log without kinds, what its type says. */
export function callKindOf({ kind, type, readOnly }: Pick<CallItem, 'kind' | 'type' | 'readOnly'>): CallKind {
  if (kind !== undefined) return kind
  if (type === 'commandExecution') return 'execute'
  if (type === 'fileChange') return 'edit'
  return readOnly === true ? 'read' : 'other'
}
