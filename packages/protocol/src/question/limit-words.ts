import type { ApprovalRequest } from '../schema/approval.ts'
import type { Enforcement } from '../schema/settings.ts'

export interface LimitWords {
  readonly text: string
  /** More than a command has by itself. */
  readonly isMore: boolean
}

/** Says what a call may do once it runs: its sandbox, then the network where that is known. */
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

/** Said of a command that goes on after its call has answered. */
export const backgroundWords = 'in the background, without a time limit'

/** Said of a second attempt. */
export const againWords =
  'It ran in the sandbox already, and failed for what the sandbox blocked. A yes runs it once more.'

/** Goes before the model's own reason. */
export const uncheckedWords = 'the model says, unchecked: '
