import type { Approval, Enforcement } from '@parley/protocol'
import { approvalDetail } from '../approval-detail.ts'
import { beside, indented } from '../gutter.ts'
import type { Line, Room } from '../span.ts'
import { contextRows } from './approval-context.ts'
import { alwaysRows, deceptionRows, headRows, wholeTitle } from './approval-parts.ts'

/** All of a question, for the transcript: nothing of it is left out, however long it is. */
export function wholeApproval(
  asked: { readonly approval: Approval; readonly enforcement: Enforcement },
  room: Room,
): readonly Line[] {
  const { approval } = asked
  return [
    ...headRows(approval, room),
    ...indented([...wholeTitle(approval, beside(room)), ...approvalDetail(approval, beside(room))]),
    ...deceptionRows(approval, room),
    ...indented(contextRows({ ...asked, homeFolder: '' }, beside(room), 'whole')),
    ...alwaysRows(approval, room),
  ]
}
