import type { Approval, ConversationEvent } from '@parley/protocol'
import { noticeItem } from '../conversation/notices.ts'
import type { Guest } from '../limits/may-loosen.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'

/**
 * Throws `notPermitted` for a client that may only tighten limits, or for a user of a shared server: rules belong to
 * the server.
 */
export function assertMayAddRule({ mayLoosen, rights }: Guest): void {
  if (!mayLoosen)
    throw rejection('notPermitted', 'This client may only make limits stricter, and a rule would allow more.')
  if (!rights.has('operator'))
    throw rejection('notPermitted', 'A rule would hold for all users of this server. Say yes once, or for the session.')
}

/**
 * Writes the rule of an `approvedAlways` into the user's policy file and returns the notice about it. The rule applies
 * at once in all conversations of this server. Throws `configInvalid` when it cannot be written, and the question stays.
 */
export function addRule({ roles }: LiveConversation, { always, kind, turnId }: Approval): ConversationEvent {
  if (always === undefined) throw invalidParam('decision', 'No rule goes with this question.')
  const added = roles.people.userRules.add(always.rule)
  if ('problem' in added)
    throw rejection(
      'configInvalid',
      `The rule was not added: ${added.problem}. A yes for this once is still possible.`,
      {
        where: always.file,
      },
    )
  const { label, file } = always
  const { line } = added
  const title = `From now on allowed, in every folder, ${reaches(kind)}: ${label} (${file}:${line}).`
  const item = noticeItem(roles.record.ids.item(), { level: 'info', code: 'ruleAdded', title, rule: { file, line } })
  return { type: 'item.completed', turnId, item }
}

function reaches(kind: Approval['kind']): string {
  if (kind === 'escalation') return 'outside the sandbox'
  return kind === 'network' ? 'with the network' : 'with or without a sandbox'
}
