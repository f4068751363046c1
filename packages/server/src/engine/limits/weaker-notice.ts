import type { SandboxReport } from '@parley/host'
import type { ItemOf } from '@parley/protocol'
import { noticeItem } from '../conversation/notices.ts'

/** Said in the transcript when less enforces the limits than before. */
export function weakerNotice(id: string, { enforcement, reason }: SandboxReport): ItemOf<'notice'> {
  const title = `${enforcement === 'partial' ? partial : none} ${reason}`
  return noticeItem(id, { level: 'warning', code: 'sandboxWeaker', title })
}

const partial = 'The sandbox is only partial now: what is not known to be harmless asks first.'
const none = 'There is no sandbox now: what is not known to be harmless asks first.'
