import type { ApprovalRequest, AskedFile } from '../schema/approval.ts'
import type { Enforcement } from '../schema/settings.ts'
import { onOneLine } from './hidden-characters.ts'

export type ListedFile = Omit<AskedFile, 'before' | 'after'>

const verbs = { add: 'add', update: 'change', delete: 'delete' } as const

/** Describes a file of a patch in one line: kind of change, path, counts of lines, and deleted bytes. */
export function fileWords({ kind, additions, deletions, deletedBytes, ...at }: ListedFile): string {
  const path = placeWords(at.path, at.real)
  const target = at.movedTo === undefined ? '' : ` → ${placeWords(at.movedTo, at.realMovedTo)}`
  const size = deletedBytes === undefined ? '' : `, ${deletedBytes} bytes`
  return `${target === '' ? verbs[kind] : 'move'} ${path}${target} (+${additions} −${deletions}${size})`
}

function placeWords(path: string, real: string | undefined): string {
  return real === undefined ? onOneLine(path) : `${onOneLine(path)} (leads to ${onOneLine(real)})`
}

export interface LimitWords {
  readonly text: string
  /** The call gets more rights than a command has by default. */
  readonly isMore: boolean
}

/** Describes the limits of a call: its sandbox, then the network where that is known. */
export function limitWords(
  { sandbox, network }: Pick<ApprovalRequest, 'sandbox' | 'network'>,
  enforcement: Enforcement,
): readonly LimitWords[] {
  if (sandbox === 'none') {
    const all = network === undefined ? '' : ': it may do all that you may, network included'
    return [{ text: `not sandboxed${all}`, isMore: true }]
  }
  const enforced = { text: `sandbox ${sandbox}${enforcement === 'partial' ? ', in part' : ''}`, isMore: false }
  if (network === undefined) return [enforced]
  return [enforced, network ? { text: 'with network', isMore: true } : { text: 'no network', isMore: false }]
}

/** Text for a command that goes on after its call has answered. */
export const backgroundWords = 'in the background, without a time limit'

/** Text for a second attempt. */
export const againWords =
  'It ran in the sandbox already, and failed for what the sandbox blocked. A yes runs it once more.'

/** Introduction of the model's own reason. */
export const uncheckedWords = 'the model says, unchecked: '
