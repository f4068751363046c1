import type {
  ContentItem,
  ConversationEvent,
  MessageCall,
  MessageId,
  ParamsOf,
  ResultOf,
  TurnId,
} from '@parley/protocol'
import type { Guest } from '../limits/may-loosen.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { attachmentParts, shortTexts, storeAttachments } from '../messages/attachments.ts'
import { assertOutputSchema } from '../messages/output-schema.ts'
import {
  assertFits,
  assertInboxRoom,
  hadSecret,
  secretNotice,
  turnFields,
  turnStart,
  userMessageItem,
} from '../messages/user-messages.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { type Expanded, expandMessage, mayNamePart, unknownCommand } from '../skills/expand-message.ts'
import { assertConfigurable, configure } from './commands.ts'
import { onPrompt, runPromptHooks } from './prompt-hooks.ts'

type Sent = ResultOf<'conversation/sendMessage'>
type Sending = ParamsOf<'conversation/sendMessage'>

/** Message of a client after its images and long texts were stored as side files. */
interface Taken extends Sending {
  readonly messageId: MessageId
  readonly content: ContentItem[]
  /** Runs of the hooks before it. */
  readonly hookEvents?: readonly ConversationEvent[]
  readonly calls?: MessageCall[]
}

/** Client that sends a message. */
export interface Sender {
  readonly client: Guest
  /** Applies overrides that name folders or the network, all or nothing; null without such overrides. */
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
  const { roles } = writable(open)
  const { input, outputSchema } = params
  const messageId = params.messageId ?? roles.record.ids.message()
  const known = firstResult(open, messageId)
  if (known !== null) return known
  assertSendable(params)
  assertBudget(open, params)
  assertNoSecret(open, params.checks?.commands ?? [], 'checks')
  const namesPart = mayNamePart(input)
  const content = namesPart ? null : shortTexts(input)
  const hasHooks = roles.act.hooks.has(onPrompt)
  if (content !== null && outputSchema === undefined && !hasHooks)
    return place(open, { ...params, messageId, content }, sender)
  const take = async (): Promise<Taken> => {
    if (outputSchema !== undefined) await assertOutputSchema(outputSchema)
    const { input: whole, calls } = namesPart ? await expanded(open, input) : { input, calls: [] }
    const hookEvents = hasHooks ? await runPromptHooks(open.roles, { messageId, input: whole }) : []
    return {
      ...params,
      input: [...whole],
      messageId,
      content: content ?? (await storeAttachments(whole, attachmentParts(open.roles))),
      ...(calls.length === 0 ? {} : { calls: [...calls] }),
      hookEvents,
    }
  }
  return take().then((taken) => firstResult(open, messageId) ?? place(writable(open), taken, sender))
}

/** Fills in the command that a message names, by the files as they are now. */
async function expanded(open: LiveConversation, input: Sending['input']): Promise<Expanded> {
  const { conversation, skills } = writable(open)
  const { meta, settings } = conversation.state.core
  const isCurrent = await refreshed(open)
  const unknown = isCurrent ? null : unknownCommand(input, skills.named(meta.cwd))
  if (unknown !== null)
    throw rejection(
      'environmentUnreachable',
      `Not sent: the machine of this conversation is away, so nobody can say what /${unknown} is there. Send it again once it is back.`,
      { environment: settings.environment ?? '' },
    )
  const whole = await expandMessage(input, { skills, cwd: meta.cwd })
  assertFits(whole.input)
  assertNoSecret(
    open,
    whole.calls.map((call) => call.arguments),
    'input',
  )
  return whole
}

/** Time for the machine of a conversation to say which skills and commands it has, in ms. */
const lookMs = 3_000

/** Finds skills and commands anew. Resolves to false where the machine of the conversation does not say them in time. */
async function refreshed(open: LiveConversation): Promise<boolean> {
  const { skills, roles } = writable(open)
  const over = new AbortController()
  const late = roles.record.clock.sleep(lookMs, over.signal).then(() => false)
  return await Promise.race([skills.refresh(), late]).finally(() => over.abort())
}

/**
 * Throws `invalidParams` for a secret in a text that runs later: it would come from the log, which has a mark in place
 * of the secret.
 */
function assertNoSecret(open: LiveConversation, texts: readonly string[], field: 'input' | 'checks'): void {
  const { redaction } = writable(open).roles.record
  if (texts.some((text) => redaction.hasSecret(text))) throw invalidParam(field, secretInCall)
}

const secretInCall =
  'Not sent: a command would run with a secret in it, and secrets are not kept. Put it into a file or a variable, and name that.'

function firstResult({ conversation }: LiveConversation, messageId: MessageId): Sent | null {
  const known = conversation.state.core.requestKeys.find(({ key }) => key === messageId)
  if (known === undefined) return null
  const { turnId, disposition, seq, itemId } = known
  if (itemId === undefined && disposition !== 'continued') return { turnId, disposition, seq }
  throw invalidParam('messageId', 'This id was the `requestKey` of another request. Use a new one for each message.')
}

function assertSendable({ input, when = 'now', overrides, outputSchema, purpose, checks }: Sending): void {
  assertFits(input)
  if (when !== 'now' && overrides !== undefined)
    throw invalidParam('overrides', 'Settings can only be changed with a message that is sent now.')
  if (when === 'steer' && outputSchema !== undefined)
    throw invalidParam('outputSchema', 'A turn that runs keeps its output schema. Send with `now` or `queue`.')
  if (when === 'steer' && purpose !== undefined)
    throw invalidParam('purpose', 'A turn that runs keeps its purpose. Send with `now` or `queue`.')
  if (when === 'steer' && checks !== undefined)
    throw invalidParam('checks', 'A turn that runs keeps its checks. Send with `now` or `queue`.')
  if (purpose !== undefined && checks !== undefined)
    throw invalidParam('checks', 'A review changes nothing, so there is nothing to check. Leave out the checks.')
}

/** Throws `invalidParams` for a budget in dollars of a model without a known price. */
function assertBudget({ conversation, roles }: LiveConversation, { budget }: Sending): void {
  if (budget?.costUsd === undefined || roles.model.current().facts.price !== null) return
  const { model } = conversation.state.core.settings
  throw invalidParam(
    'budget',
    `The price of ${model} is not known, so its cost cannot be held to a limit. Set [models."${model}"] price = { input = …, output = … } in config.toml, in dollars per million tokens.`,
  )
}

/** Records the message in a turn of its own or in the inbox. */
function place(open: LiveConversation, taken: Taken, sender: Sender): Sent {
  const { conversation, turns } = open
  const { messageId, when = 'now', content, hookEvents = [] } = taken
  const { turn } = conversation.state.core
  if (when === 'now' || turn === null) return startTurn(open, taken, sender)
  const message = { messageId, when, content, ...callsOf(taken), ...turnFields(taken), by: sender.client.actor }
  assertInboxRoom(conversation.state, message)
  const [queued] = conversation.recordAll([
    { type: 'message.queued', message },
    ...noticeOf(open, taken, turn.id),
    ...hookEvents,
  ])
  turns.wake()
  return { turnId: turn.id, disposition: when === 'steer' ? 'steering' : 'queued', seq: queued?.seq ?? 0 }
}

function callsOf({ calls }: Taken): Pick<Taken, 'calls'> {
  return calls === undefined ? {} : { calls }
}

function noticeOf({ conversation, roles }: LiveConversation, taken: Taken, turnId: TurnId): ConversationEvent[] {
  const { redaction } = roles.record
  const { sideFiles } = conversation
  return hadSecret({ redaction, sideFiles }, taken) ? secretNotice(roles, turnId) : []
}

function startTurn(open: LiveConversation, taken: Taken, { client, change }: Sender): Sent {
  const { conversation, roles, turns } = open
  const { turn } = conversation.state.core
  if (turn !== null)
    throw rejection('turnInProgress', 'A turn is running. Send with `queue` or `steer`, or interrupt it first.', {
      turnId: turn.id,
    })
  const turnId = roles.record.ids.turn()
  const { messageId, content, overrides, hookEvents = [] } = taken
  if (overrides !== undefined && change !== null) {
    assertConfigurable(open, overrides, client)
    change(open, overrides)
  } else if (overrides !== undefined) configure(open, overrides, client)
  const events: ConversationEvent[] = [
    { type: 'turn.started', turnId, trigger: 'message', ...turnStart(taken, roles.act.limits) },
    {
      type: 'item.completed',
      turnId,
      item: userMessageItem(roles.record.ids.item(), { content, messageId, ...callsOf(taken), by: client.actor }),
    },
    ...noticeOf(open, taken, turnId),
    ...hookEvents,
  ]
  const [, sent] = conversation.recordAll(events)
  turns.wake()
  return { turnId, disposition: 'started', seq: sent?.seq ?? 0 }
}
