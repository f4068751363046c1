import type { Actor, ContentItem, ConversationEvent, MessageId, ParamsOf, ResultOf, TurnId } from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import { attachmentParts, shortTexts, storeAttachments } from '../messages/attachments.ts'
import { assertOutputSchema } from '../messages/output-schema.ts'
import {
  assertFits,
  assertInboxRoom,
  hadSecret,
  secretNotice,
  turnFields,
  userMessageItem,
} from '../messages/user-messages.ts'
import { type LiveConversation, writable } from '../open/live-conversation.ts'
import { assertConfigurable, configure } from './commands.ts'

type Sent = ResultOf<'conversation/sendMessage'>
type Sending = ParamsOf<'conversation/sendMessage'>

/** Message of a client after its images and long texts were stored as side files. */
interface Taken extends Sending {
  readonly messageId: MessageId
  readonly content: ContentItem[]
}

/** Client that sends a message. */
export interface Sender {
  readonly by: Actor
  /** Applies overrides that name folders or the network, all of them or none; null where there are none. */
  readonly change: ((open: LiveConversation, overrides: NonNullable<Sending['overrides']>) => void) | null
}

/** Tests if overrides need `change`. */
export function changesLimits({ overrides: { cwd, writableRoots, network } = {} }: Sending): boolean {
  return cwd !== undefined || writableRoots !== undefined || network !== undefined
}

/**
 * Starts a turn with a message, or queues it. The same `messageId` again returns the first result and sends nothing.
 * Returns without a promise unless files are stored or a schema is checked.
 */
export function sendMessage(open: LiveConversation, params: Sending, sender: Sender): Sent | Promise<Sent> {
  const { modules } = writable(open)
  const { input, outputSchema } = params
  const messageId = params.messageId ?? modules.ids.message()
  const known = firstResult(open, messageId)
  if (known !== null) return known
  assertSendable(params)
  assertBudget(open, params)
  const content = shortTexts(input)
  if (content !== null && outputSchema === undefined) return place(open, { ...params, messageId, content }, sender)
  const take = async () => {
    if (outputSchema !== undefined) await assertOutputSchema(outputSchema)
    return {
      ...params,
      messageId,
      content: await storeAttachments(input, attachmentParts(open)),
    }
  }
  return take().then((taken) => firstResult(open, messageId) ?? place(writable(open), taken, sender))
}

function firstResult({ conversation }: LiveConversation, messageId: MessageId): Sent | null {
  const known = conversation.state.core.requestKeys.find(({ key }) => key === messageId)
  if (known === undefined) return null
  const { turnId, disposition, seq, itemId } = known
  if (itemId === undefined && disposition !== 'continued') return { turnId, disposition, seq }
  throw rejection('invalidParams', 'This id was the `requestKey` of another request. Use a new one for each message.', {
    field: 'messageId',
  })
}

function assertSendable({ input, when = 'now', overrides, outputSchema }: Sending): void {
  assertFits(input)
  if (when !== 'now' && overrides !== undefined)
    throw rejection('invalidParams', 'Settings can only be changed with a message that is sent now.', {
      field: 'overrides',
    })
  if (when === 'steer' && outputSchema !== undefined)
    throw rejection('invalidParams', 'A turn that runs keeps its output schema. Send with `now` or `queue`.', {
      field: 'outputSchema',
    })
}

/** Throws `invalidParams` for a budget in dollars of a model without a known price. */
function assertBudget({ conversation, modules }: LiveConversation, { budget }: Sending): void {
  if (budget?.costUsd === undefined || modules.model().facts.price !== null) return
  const { model } = conversation.state.core.settings
  throw rejection(
    'invalidParams',
    `The price of ${model} is not known, so its cost cannot be held to a limit. Set [models."${model}"] price = { input = …, output = … } in config.toml, in dollars per million tokens.`,
    { field: 'budget' },
  )
}

/** Records the message in a turn of its own or in the inbox. */
function place(open: LiveConversation, taken: Taken, sender: Sender): Sent {
  const { conversation, turns } = open
  const { messageId, when = 'now', content } = taken
  const { turn } = conversation.state.core
  if (when === 'now' || turn === null) return startTurn(open, taken, sender)
  const message = { messageId, when, content, ...turnFields(taken), by: sender.by }
  assertInboxRoom(conversation.state, message)
  const [queued] = conversation.recordAll([{ type: 'message.queued', message }, ...noticeOf(open, taken, turn.id)])
  turns.wake()
  return { turnId: turn.id, disposition: when === 'steer' ? 'steering' : 'queued', seq: queued?.seq ?? 0 }
}

function noticeOf({ conversation, modules }: LiveConversation, taken: Taken, turnId: TurnId): ConversationEvent[] {
  const { redaction } = modules
  const { sideFiles } = conversation
  return hadSecret({ redaction, sideFiles }, taken) ? secretNotice(modules, turnId) : []
}

function startTurn(open: LiveConversation, taken: Taken, { by, change }: Sender): Sent {
  const { conversation, modules, turns } = open
  const { turn } = conversation.state.core
  if (turn !== null)
    throw rejection('turnInProgress', 'A turn is running. Send with `queue` or `steer`, or interrupt it first.', {
      turnId: turn.id,
    })
  const turnId = modules.ids.turn()
  const { messageId, content, overrides } = taken
  if (overrides !== undefined && change !== null) {
    assertConfigurable(open, overrides)
    change(open, overrides)
  } else if (overrides !== undefined) configure(open, overrides, by)
  const events: ConversationEvent[] = [
    { type: 'turn.started', turnId, trigger: 'message', ...turnFields(taken) },
    { type: 'item.completed', turnId, item: userMessageItem(modules.ids.item(), { content, messageId, by }) },
    ...noticeOf(open, taken, turnId),
  ]
  const [, sent] = conversation.recordAll(events)
  turns.wake()
  return { turnId, disposition: 'started', seq: sent?.seq ?? 0 }
}
