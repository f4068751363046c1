import type { SandboxReport } from '@parley/host'
import type { ItemOf } from '@parley/protocol'

/** Said in the transcript when less enforces the limits than before. */
export function weakerNotice(id: string, { tier, reason }: SandboxReport): ItemOf<'notice'> {
  const shown = { id, type: 'notice', status: 'completed', level: 'warning', code: 'sandboxWeaker' } as const
  return { ...shown, title: `${tier === 'B' ? partial : none} ${reason}`, text: '' }
}

const partial = 'The sandbox is only partial now: what is not known to be harmless asks first.'
const none = 'There is no sandbox now: what is not known to be harmless asks first.'
