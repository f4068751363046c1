import {
  type ContentItem,
  type ConversationEvent,
  type ConversationState,
  type InputItem,
  type ItemId,
  type ItemOf,
  limits,
  type QueuedMessage,
  type RequestKey,
  type TurnId,
} from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { withoutUndefined } from '@parley/text'
import { formatBytes } from '@parley/workspace'
import { noticeItem } from '../conversation/notices.ts'
import type { SideFiles } from '../conversation/side-files.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import type { Roles } from '../roles/roles.ts'

type TurnOptions = Pick<QueuedMessage, 'outputSchema' | 'budget' | 'purpose' | 'checks'>
type StartingMessage = Pick<QueuedMessage, 'messageId' | 'content' | 'calls' | 'by'> & TurnOptions

/** Returns the fields of a turn that its first message sets. */
export function turnFields({ outputSchema, budget, purpose, checks }: TurnOptions) {
  return withoutUndefined({ outputSchema, budget, purpose, checks })
}

/** Returns the fields of a turn's first event. A review has the enforcement of its own sandbox mode. */
export function turnStart(options: TurnOptions, { enforcementFor }: Pick<ConversationLimits, 'enforcementFor'>) {
  const isReview = options.purpose === 'review'
  return { ...turnFields(options), ...(isReview ? { enforcement: enforcementFor('read-only') } : {}) }
}

/**
 * Returns the events that move a waiting message into a turn. The item comes first and removes the message from the
 * inbox, so a log cut between the two never loses it.
 */
export function consumedMessage(ids: Pick<Ids, 'item'>, turnId: TurnId, message: StartingMessage): ConversationEvent[] {
  return [
    { type: 'item.completed', turnId, item: userMessageItem(ids.item(), message) },
    { type: 'message.consumed', messageId: message.messageId },
  ]
}

/** Returns the events that start a turn with a waiting message; `requestKey` is the key of the request that starts it. */
export function startInboxTurn(
  { record: { ids }, act }: Pick<Roles, 'record' | 'act'>,
  message: StartingMessage,
  requestKey?: RequestKey,
): ConversationEvent[] {
  const turnId = ids.turn()
  const key = requestKey === undefined ? {} : { requestKey }
  return [
    { type: 'turn.started', turnId, trigger: 'inbox', ...turnStart(message, act.limits), ...key },
    ...consumedMessage(ids, turnId, message),
  ]
}

/** Sizes of messages, which never change; each would be measured again for every later message. */
const measured = new WeakMap<QueuedMessage, number>()

/** Throws `inboxFull` when the waiting messages would make a state too large to send. */
export function assertInboxRoom(
  { core }: ConversationState,
  message: Pick<QueuedMessage, 'messageId' | 'content' | 'outputSchema'>,
): void {
  const others = core.inbox.filter(({ messageId }) => messageId !== message.messageId)
  const waitingBytes = others.reduce((sum, other) => sum + sizeOf(other), 0)
  const sizeBytes = jsonBytes(message)
  if (waitingBytes + sizeBytes <= limits.inbox) return
  throw rejection(
    'inboxFull',
    `${others.length} messages with ${formatBytes(waitingBytes)} wait already, and together with this one (${formatBytes(sizeBytes)}) they would be more than ${formatBytes(limits.inbox)}. Send it when some have been taken, or take one back.`,
    { limitBytes: limits.inbox },
  )
}

function sizeOf(message: QueuedMessage): number {
  const known = measured.get(message) ?? jsonBytes(message)
  measured.set(message, known)
  return known
}

/** Throws `invalidParams` for a message with too much text. */
export function assertFits(content: readonly InputItem[]): void {
  const sizeBytes = content.reduce((sum, part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : 0), 0)
  if (sizeBytes <= limits.message) return
  throw rejection(
    'invalidParams',
    `A message may have ${formatBytes(limits.message)} of text, this one has ${sizeBytes - limits.message} bytes more. Put the text into a file and name that.`,
    { field: 'input', limitBytes: limits.message },
  )
}

/** Builds the item of a message; one of the server itself, for the checks of a turn, has no sender. */
export function userMessageItem(
  id: ItemId,
  message: Pick<ItemOf<'userMessage'>, 'content' | 'messageId' | 'calls' | 'ofChecks' | 'by'>,
): ItemOf<'userMessage'> {
  const { content, messageId, calls, ofChecks, by } = message
  const text = content.map(shownPart).join('\n')
  return {
    id,
    type: 'userMessage',
    status: 'completed',
    title: text.trimStart().split('\n', 1)[0] ?? '',
    text,
    content,
    ...withoutUndefined({ calls, ofChecks, messageId, by }),
  }
}

function shownPart(part: ContentItem): string {
  if (part.type === 'image') return `[${part.name}]`
  const { text, file, totalBytes = 0 } = part
  return file === undefined ? text : `${text}\n… (its beginning; the model gets all ${formatBytes(totalBytes)})`
}

const title = 'A secret in your message was replaced by a mark: it was neither sent to the model nor stored.'
const text =
  'What runs here can still use it: leave it in a file or in the environment, and say where it is instead of what it is.'

interface SecretPorts {
  readonly redaction: Pick<Redaction, 'hasSecret'>
  readonly sideFiles: Pick<SideFiles, 'readText'>
}

/** Tells if a secret was replaced in a message. A long text was redacted as it was stored and is not searched again. */
export function hadSecret(
  { redaction, sideFiles }: SecretPorts,
  { input, content }: { readonly input: readonly InputItem[]; readonly content: readonly ContentItem[] },
): boolean {
  return input.some((part, index) => {
    const kept = content[index]
    if (part.type !== 'text' || kept?.type !== 'text') return false
    return kept.file === undefined ? redaction.hasSecret(part.text) : sideFiles.readText(kept.file) !== part.text
  })
}

/** Returns the notice that follows a message with a secret, once per session: its sender knows and may send more. */
export function secretNotice(
  { record: { ids }, act }: Pick<Roles, 'record' | 'act'>,
  turnId: TurnId | null,
): ConversationEvent[] {
  if (!act.memory.isFirstNotice('secretInMessage')) return []
  const item = noticeItem(ids.item(), { level: 'info', code: 'secretInMessage', title, text })
  return [{ type: 'item.completed', ...(turnId === null ? {} : { turnId }), item }]
}
