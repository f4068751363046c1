import type {
  Actor,
  ContentItem,
  EventOf,
  InputItem,
  ItemId,
  MessageId,
  ParamsOf,
  Settings,
  SettingsPatch,
} from '@parley/protocol'
import { continuedBefore } from '../conversation/request-replay.ts'
import { assertUnderCeiling, ceilingForRequests } from '../limits/ceiling.ts'
import { assertMayLoosen, type Guest } from '../limits/may-loosen.ts'
import { fittingMode, wholeSystemText, workspaceOf } from '../limits/workspace-folders.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { attachmentParts, keepLongWaiting, longWaiting, shortTexts, storeAttachments } from '../messages/attachments.ts'
import { assertFits, assertInboxRoom, startInboxTurn } from '../messages/user-messages.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { runPromptHooks } from './prompt-hooks.ts'

/** Stops the user's own commands, or the one that is named, also one in the background; a turn goes on. */
export function interruptShell(open: LiveConversation, itemId: ItemId | undefined): { interrupted: boolean } {
  const { shell, processes } = writable(open)
  const interrupted = shell.interrupt(itemId) || (itemId !== undefined && processes.stop(itemId))
  return { interrupted }
}

/** Lets the command of a call go on in the background, so that the call answers now. */
export function sendToBackground(open: LiveConversation, itemId: ItemId): { background: boolean } {
  const { conversation, roles } = writable(open)
  const isCommand = conversation.state.core.open[itemId]?.item.type === 'commandExecution'
  return { background: isCommand && roles.act.memory.foreground.send(itemId) }
}

/** Stops the turn. Where no turn runs and no turn is named, stops the user's own commands. */
export function interruptTurn(
  open: LiveConversation,
  { turnId, why }: Pick<ParamsOf<'conversation/interrupt'>, 'turnId' | 'why'>,
): { interrupted: boolean } {
  const running = writable(open).conversation.state.core.turn
  if (turnId !== undefined && running !== null && running.id !== turnId) {
    throw rejection('turnMismatch', `Turn ${turnId} is not running; ${running.id} is.`, { turnId: running.id })
  }
  const interrupted = open.turns.interrupt(why)
  return { interrupted: interrupted || (turnId === undefined && open.shell.interrupt()) }
}

/** Ends the wait before a retry, so that the model is asked at once. */
export function retryNow(open: LiveConversation): { retried: boolean } {
  return { retried: writable(open).roles.model.retry.wait.endNow() }
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
  const { conversation, turns, roles } = writable(open)
  const { requestKey } = params
  if (continuedBefore(conversation.state, requestKey)) return { continued: true }
  const { turn, inbox, inboxPaused } = conversation.state.core
  const long = turn === null && inboxPaused ? longWaiting(inbox.slice(0, 1)) : null
  if (long !== null) return keepLongWaiting(open, long).then(() => continueConversation(open, params, by))
  const key = requestKey === undefined ? {} : { requestKey }
  if (turn?.parked === true) conversation.record({ type: 'turn.continued', turnId: turn.id, by, ...key })
  else if (turn === null && inboxPaused && inbox[0] !== undefined)
    conversation.recordAll(startInboxTurn(roles, inbox[0], requestKey))
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
  const hookEvents = await runPromptHooks(open.roles, { messageId, input: params.content })
  const content = await contentOf(open, params.content)
  const conversation = queued(open, messageId)
  assertInboxRoom(conversation.state, { messageId, content })
  const [edited] = conversation.recordAll([{ type: 'message.edited', messageId, content, by }, ...hookEvents])
  return { seq: edited?.seq ?? 0 }
}

async function contentOf(open: LiveConversation, input: InputItem[]): Promise<ContentItem[]> {
  return shortTexts(input) ?? (await storeAttachments(input, attachmentParts(open.roles)))
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
export function configure(open: LiveConversation, settings: SettingsPatch, client: Guest): { seq: number } {
  const { conversation } = writable(open)
  const before = conversation.state.core.settings
  const event = configuredEvent(open, settings, client)
  const seq = configured(conversation, event)
  afterConfigured(open, before)
  return { seq }
}

/** Returns the event of a change of settings by a client. Throws where they may not be changed so. */
export function configuredEvent(
  open: LiveConversation,
  settings: SettingsPatch,
  client: Pick<Guest, 'actor' | 'mayLoosen' | 'rights'>,
): EventOf<'conversation.configured'> {
  assertConfigurable(open, settings, client)
  const { sandbox } = settings
  const enforced = sandbox === undefined ? {} : { enforcement: open.roles.act.limits.enforcementFor(sandbox) }
  return { type: 'conversation.configured', settings: { ...settings, ...enforced }, by: client.actor }
}

/** Stops what may do more than the settings that have been recorded allow. */
export function afterConfigured({ roles, mcp }: LiveConversation, before: Settings): void {
  roles.act.limits.narrowed(before)
  mcp.relimit()
}

/** Throws for settings above the ceiling, that the client may not loosen, or that do not fit the conversation. */
export function assertConfigurable(
  open: LiveConversation,
  settings: SettingsPatch,
  client: Pick<Guest, 'mayLoosen' | 'rights'>,
): void {
  const now = open.conversation.state.core.settings
  assertUnderCeiling(settings, now, () => ceilingForRequests(open.ceiling(), client.rights.maxSandbox))
  assertMayLoosen(client, { ...now, ...settings }, now)
  assertModeFits(settings.sandbox, open)
  assertKnown(settings.modelProvider, open)
}

function configured(conversation: LiveConversation['conversation'], event: EventOf<'conversation.configured'>): number {
  if (conversation.started) return conversation.record(event).seq
  conversation.redraft({ settings: event.settings })
  return 0
}

/** Throws `invalidParams` for a provider that came into config.toml after the conversation was opened, or never did. */
function assertKnown(provider: SettingsPatch['modelProvider'], { roles }: LiveConversation): void {
  if (provider === undefined || roles.model.knowsProvider(provider)) return
  throw invalidParam(
    'modelProvider',
    `This conversation knows no model provider "${provider}": it goes by config.toml as it was when it was opened. Start parley again (or /new) to use one that was added since.`,
  )
}

function assertModeFits(sandbox: SettingsPatch['sandbox'], { conversation }: LiveConversation): void {
  const { environment } = conversation.state.core.settings
  const { roots } = workspaceOf(conversation.state)
  if (sandbox === undefined || environment !== undefined || fittingMode({ roots, sandbox }) === sandbox) return
  throw invalidParam('sandbox', wholeSystemText)
}
