import type { Approval, ConversationEvent } from '@parley/protocol'
import { noticeItem } from '../conversation/notices.ts'
import type { LiveConversation } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'

/**
 * Writes the rule of a yes for always into the user's file; it holds at once in all conversations of this server. The
 * event says where. Where it cannot be written the answer is not taken, and the question stays.
 */
export function addRule({ modules }: LiveConversation, { always, turnId }: Approval): ConversationEvent {
  if (always === undefined) throw rejection('invalidParams', 'No rule goes with this question.', { field: 'decision' })
  const added = modules.userRules.add(always.rule)
  if ('problem' in added)
    throw rejection(
      'configInvalid',
      `The rule was not added: ${added.problem}. A yes for this once is still possible.`,
      {
        where: always.file,
      },
    )
  const title = `From now on allowed, in every folder, with or without a sandbox: ${always.label} (${always.file}:${added.line}).`
  const item = noticeItem(modules.ids.item(), { level: 'info', code: 'ruleAdded', title })
  return { type: 'item.completed', turnId, item }
}
