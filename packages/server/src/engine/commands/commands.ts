import type {
  Actor,
  ContentItem,
  InputItem,
  ItemId,
  MessageId,
  ParamsOf,
  SettingsPatch,
  TurnId,
} from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import { continuedBefore } from '../conversation/started-before.ts'
import { assertUnderCeiling } from '../limits/ceiling.ts'
import { fittingMode, wholeSystemText, workspaceOf } from '../limits/workspace-folders.ts'
import { attachmentParts, keepLongWaiting, longWaiting, shortTexts, storeAttachments } from '../messages/attachments.ts'
import { assertFits, assertInboxRoom, startInboxTurn } from '../messages/user-messages.ts'
import { type LiveConversation, writable } from '../open/live-conversation.ts'

/** Stops the user's own commands, or the one that is named, also one in the background; a turn goes on. */
export function interruptShell(open: LiveConversation, itemId: ItemId | undefined): { interrupted: boolean } {
  const { shell, stopInBackground } = writable(open)
  const interrupted = shell.interrupt(itemId) || (itemId !== undefined && stopInBackground(itemId))
  return { interrupted }
}

/** Lets the command of a call go on in the background, so that the call answers now. */
export function sendToBackground(open: LiveConversation, itemId: ItemId): { background: boolean } {
  const { conversation, modules } = writable(open)
  const isCommand = conversation.state.core.open[itemId]?.item.type === 'commandExecution'
  return { background: isCommand && modules.foreground.send(itemId) }
}

/** Stops the turn or, where none runs and none is named, the user's own commands. */
export function interruptTurn(open: LiveConversation, turnId: TurnId | undefined): { interrupted: boolean } {
  const running = writable(open).conversation.state.core.turn
  if (turnId !== undefined && running !== null && running.id !== turnId) {
    throw rejection('turnMismatch', `Turn ${turnId} is not running; ${running.id} is.`, { turnId: running.id })
  }
  const interrupted = open.turns.interrupt()
  return { interrupted: interrupted || (turnId === undefined && open.shell.interrupt()) }
}

/** Ends the wait before a retry, so that the model is asked at once. */
export function retryNow(open: LiveConversation): { retried: boolean } {
  return { retried: writable(open).modules.retryWait.endNow() }
}

interface Continued {
  readonly continued: boolean
}

/**
 * Continues a parked turn, or sends the first message of a paused inbox. The same `requestKey` again does nothing more and
 * returns the first result.
 */
export function continueConversation(
  open: LiveConversation,
  params: ParamsOf<'conversation/continue'>,
  by: Actor,
): Continued | Promise<Continued> {
  const { conversation, turns, modules } = writable(open)
  const { requestKey } = params
  if (continuedBefore(conversation.state, requestKey)) return { continued: true }
  const { turn, inbox, inboxPaused } = conversation.state.core
  const long = turn === null && inboxPaused ? longWaiting(inbox.slice(0, 1)) : null
  if (long !== null) return keepLongWaiting(open, long).then(() => continueConversation(open, params, by))
  const key = requestKey === undefined ? {} : { requestKey }
  if (turn?.parked === true) conversation.record({ type: 'turn.continued', turnId: turn.id, by, ...key })
  else if (turn === null && inboxPaused && inbox[0] !== undefined)
    conversation.recordAll(startInboxTurn(modules.ids, inbox[0], requestKey))
  else return { continued: false }
  turns.wake()
  return { continued: true }
}

export async function editQueued(
  open: LiveConversation,
  params: ParamsOf<'conversation/inbox/edit'>,
  by: Actor,
): Promise<{ seq: number }> {
  const { messageId } = params
  assertFits(params.content)
  queued(open, messageId)
  const content = await contentOf(open, params.content)
  const conversation = queued(open, messageId)
  assertInboxRoom(conversation.state, { messageId, content })
  return { seq: conversation.record({ type: 'message.edited', messageId, content, by }).seq }
}

async function contentOf(open: LiveConversation, input: InputItem[]): Promise<ContentItem[]> {
  return shortTexts(input) ?? (await storeAttachments(input, attachmentParts(open)))
}

export function removeQueued(open: LiveConversation, messageId: MessageId, by: Actor): { seq: number } {
  return { seq: queued(open, messageId).record({ type: 'message.removed', messageId, by }).seq }
}

function queued(open: LiveConversation, messageId: MessageId) {
  const { conversation } = writable(open)
  if (conversation.state.core.inbox.some((message) => message.messageId === messageId)) return conversation
  throw rejection('messageNotQueued', `Message ${messageId} is not waiting: it was sent or taken back.`)
}

/** Changes settings. A model applies from the next model call on, policy and sandbox from the next decision on. */
export function configure(open: LiveConversation, settings: SettingsPatch, by: Actor): { seq: number } {
  const { conversation } = writable(open)
  const before = conversation.state.core.settings
  assertConfigurable(open, settings)
  const change =
    settings.sandbox === undefined
      ? settings
      : { ...settings, enforcement: open.modules.limits.enforcementFor(settings.sandbox) }
  const seq = configured(conversation, change, by)
  open.modules.limits.narrowed(before)
  open.mcp.relimit()
  return { seq }
}

/** Throws for settings above the ceiling, or that do not fit the conversation. */
export function assertConfigurable(open: LiveConversation, settings: SettingsPatch): void {
  assertUnderCeiling(settings, open.conversation.state.core.settings, open.ceiling)
  assertModeFits(settings.sandbox, open)
  assertKnown(settings.modelProvider, open)
}

function configured(conversation: LiveConversation['conversation'], settings: SettingsPatch, by: Actor): number {
  if (conversation.started) return conversation.record({ type: 'conversation.configured', settings, by }).seq
  conversation.redraft({ settings })
  return 0
}

/** Throws `invalidParams` for a provider that came into config.toml after the conversation was opened, or never did. */
function assertKnown(provider: SettingsPatch['modelProvider'], { modules }: LiveConversation): void {
  if (provider === undefined || modules.knowsProvider(provider)) return
  throw rejection(
    'invalidParams',
    `This conversation knows no model provider "${provider}": it goes by config.toml as it was when it was opened. Start parley again (or /new) to use one that was added since.`,
    { field: 'modelProvider' },
  )
}

function assertModeFits(sandbox: SettingsPatch['sandbox'], { conversation }: LiveConversation): void {
  const { environment } = conversation.state.core.settings
  const { roots } = workspaceOf(conversation.state)
  if (sandbox === undefined || environment !== undefined || fittingMode({ roots, sandbox }) === sandbox) return
  throw rejection('invalidParams', wholeSystemText, { field: 'sandbox' })
}
