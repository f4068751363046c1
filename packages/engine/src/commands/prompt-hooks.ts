import type { ConversationEvent, InputItem, MessageId } from '@parley/protocol'
import { asSentence } from '@parley/text'
import type { HookMoment } from '../hooks/conversation-hooks.ts'
import { eventsOfRun } from '../hooks/hook-events.ts'
import { commonInput } from '../hooks/hook-input.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'

/** Moment before a message is stored. */
export const onPrompt: HookMoment = { on: 'UserPromptSubmit', subject: '' }

interface Prompt {
  readonly messageId: MessageId
  readonly input: readonly InputItem[]
}

/**
 * Runs the hooks before a message. Resolves to the events of their runs, to record with it. Rejects with `messageStopped`
 * where one stops it: the message is not stored.
 */
export async function runPromptHooks(
  { record: { conversation, ids }, act }: Pick<Roles, 'record' | 'act'>,
  { messageId, input }: Prompt,
): Promise<readonly ConversationEvent[]> {
  const prompt = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const given = () => ({ hook_event_name: 'UserPromptSubmit' as const, ...commonInput(conversation.state), prompt })
  const { turn } = conversation.state.core
  const about = { messageId, ...(turn === null ? {} : { turnId: turn.id }) }
  const events: ConversationEvent[] = []
  for await (const ran of act.hooks.run(onPrompt, given, new AbortController().signal)) {
    const { outcome, reason = '', endsTurn: _, ...finding } = ran.finding
    for (const event of eventsOfRun({ ...ran, finding: { ...finding, outcome, reason } }, about, ids))
      events.push(event)
    if (outcome === 'interrupted')
      throw rejection(
        'messageStopped',
        `The limits changed while the hook "${ran.hook.name}" ran. Send the message again.`,
        {
          hook: ran.hook.name,
        },
      )
    if (outcome !== 'stopped') continue
    // A conversation without its first message is not kept.
    if (conversation.started) conversation.recordAll(events)
    const { name } = ran.hook
    throw rejection('messageStopped', `The hook "${name}" stopped this message: ${asSentence(reason)}`, { hook: name })
  }
  return events
}
