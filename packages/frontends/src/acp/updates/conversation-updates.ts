import type { SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk'
import type { Conversation } from '@parley/client'
import {
  type CallItem,
  type ConversationEvent,
  type Envelope,
  type EventOf,
  type Item,
  type ItemId,
  type ItemOf,
  isCall,
  type OpenItem,
  type TurnId,
} from '@parley/protocol'
import { setsPlan } from '@parley/protocol/calls'
import { lastBytes } from '@parley/text'
import { noMessage } from '../../codex-events/events-without-message.ts'
import { type ChangedTexts, callUpdate, fenced, textContent } from './call-updates.ts'
import { restOfOutput, terminalContent, terminalExit, terminalInfo, terminalOutput } from './command-terminals.ts'
import { chunk, pictureChunks, planUpdate } from './text-updates.ts'

export interface UpdatesOptions {
  readonly conversation: Conversation
  readonly send: (update: SessionUpdate) => Promise<void>
  /** Tests if this client sent a message itself. */
  readonly isOwn: (messageId: string | undefined) => boolean
  /** True for a client that shows terminals of commands that it does not run itself. */
  readonly showsTerminals: boolean
}

/** Text that is being written. */
interface OpenText {
  readonly type: 'agentMessage' | 'reasoning' | 'commandExecution'
  /** Characters of it that were sent. */
  sentLength: number
}

/**
 * Sends the events of a conversation to its client, in order and at the client's pace: unread events wait in the log.
 */
export class ConversationUpdates {
  readonly #conversation: Conversation
  readonly #send: UpdatesOptions['send']
  readonly #isOwn: UpdatesOptions['isOwn']
  readonly #showsTerminals: boolean
  readonly #texts = new Map<ItemId, OpenText>()
  /** Newest output of each running command, for a client without terminals. */
  readonly #tails = new Map<ItemId, string>()
  readonly #announced = new Set<ItemId>()
  /** Turn of a prompt of this client, which ends with its failure. */
  #ownTurn: TurnId | undefined
  /** Reason that was sent for the newest stream that was cut. */
  #cutReason: string | null = null
  readonly #stopping = new AbortController()
  /** Items that were open at the construction. */
  readonly #open: readonly OpenItem[]
  /** Events since the construction. */
  readonly #events: AsyncIterable<Envelope>
  /** Seq of the last event with all of its updates sent. */
  #seq: number
  /** True when the items that were open are sent. */
  #hasBegun = false
  #progress = Promise.withResolvers<void>()
  #isOver = false

  /** Sends nothing before `start`, and then everything from the time of construction on. */
  constructor({ conversation, send, isOwn, showsTerminals }: UpdatesOptions) {
    this.#conversation = conversation
    this.#send = send
    this.#isOwn = isOwn
    this.#showsTerminals = showsTerminals
    this.#open = Object.values(conversation.state.core.open)
    this.#seq = conversation.state.core.seq
    this.#events = conversation.events({ signal: this.#stopping.signal })
  }

  /** Begins to send: first the items that are open. */
  start(): void {
    void this.#follow()
  }

  /** Resolves when everything up to now has been sent, or nothing more is. */
  async sent(): Promise<void> {
    const { seq } = this.#conversation.state.core
    while ((!this.#hasBegun || this.#seq < seq) && !this.#isOver) await this.#progress.promise
  }

  stop(): void {
    this.#stopping.abort()
    this.#end()
  }

  /** Sends the finished items of the whole log, oldest first, and the plan. */
  async replay(): Promise<void> {
    const { plan } = this.#conversation.state.core
    for (const item of await this.#itemsUpTo(this.#seq)) await this.#sendFinished(item, true)
    if (plan !== null) await this.#send(planUpdate(plan))
  }

  /** Ends silently when the client is gone. */
  async #follow(): Promise<void> {
    try {
      for (const { item, output } of this.#open) {
        await this.#start(item)
        await this.#continue(item.id, output)
      }
      this.#hasBegun = true
      this.#advance()
      for await (const { seq, event } of this.#events) {
        await this.#takeEvent(event)
        this.#seq = seq
        this.#advance()
      }
    } catch {
      // The connection of the client or of the conversation is gone.
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#isOver = true
    this.#advance()
  }

  #advance(): void {
    this.#progress.resolve()
    this.#progress = Promise.withResolvers()
  }

  async #itemsUpTo(seq: number): Promise<readonly Item[]> {
    const pages: Item[][] = []
    let before = seq + 1
    for (;;) {
      const { items, more } = await this.#conversation.read({ before })
      pages.unshift(items.map(({ item }) => item))
      const [first] = items
      if (!more || first === undefined) return pages.flat()
      before = first.seq
    }
  }

  async #takeEvent(event: ConversationEvent): Promise<void> {
    switch (event.type) {
      case 'item.started':
        return this.#start(event.item)
      case 'item.delta':
        return this.#continue(event.itemId, event.text)
      case 'item.progress':
        return this.#showTail(event.itemId, event.tail)
      case 'execution.started':
        return this.#begin(event.itemId)
      case 'item.completed':
        return this.#finish(event)
      case 'item.discarded':
        return this.#discard(event.itemId, event.reason)
      case 'plan.updated':
        return this.#send(planUpdate(event.plan))
      // The session sends title, usage and settings itself, asks about approvals and answers with the end of a turn.
      case 'conversation.created':
      case 'conversation.moved':
      case 'conversation.configured':
      case 'conversation.renamed':
      case 'conversation.recovered':
      case 'turn.started':
      case 'turn.parked':
      case 'turn.ended':
      case 'execution.failed':
      case 'approval.requested':
      case 'usage.updated':
      case 'context.compacted':
      case 'retry.scheduled':
        return
      default:
        noMessage(event)
    }
  }

  /** Sends a finished item, but not a failure that the client gets as the error of its prompt, or has read already. */
  async #finish({ item, turnId }: EventOf<'item.completed'>): Promise<void> {
    if (item.type === 'userMessage' && this.#isOwn(item.messageId)) this.#ownTurn = turnId
    const isFailure = item.type === 'notice' && item.level === 'error' && turnId !== undefined
    if (!isFailure || (turnId !== this.#ownTurn && item.title !== this.#cutReason))
      await this.#sendFinished(item, false)
  }

  async #start(item: Item): Promise<void> {
    this.#cutReason = null
    if (item.type === 'agentMessage' || item.type === 'reasoning') {
      this.#texts.set(item.id, { type: item.type, sentLength: 0 })
      await this.#separate(item)
      await this.#continue(item.id, item.text)
      await this.#sendPictures(item)
    } else if (isCall(item) && !isSilent(item)) await this.#sendCall(item)
  }

  /** Separates a text from the one before it in the same answer, for clients that join the pieces of all messages. */
  async #separate(item: Item): Promise<void> {
    if (item.type === 'agentMessage' && item.continues === true) await this.#send(chunk(item.type, '\n\n', item.id))
  }

  async #continue(itemId: ItemId, text: string): Promise<void> {
    const open = this.#texts.get(itemId)
    if (text === '') return
    if (open === undefined) return this.#showTail(itemId, `${this.#tails.get(itemId) ?? ''}${text}`)
    open.sentLength += text.length
    await this.#send(open.type === 'commandExecution' ? terminalOutput(itemId, text) : chunk(open.type, text, itemId))
  }

  /** Shows the newest output of a running command in place of the question about it. */
  async #showTail(toolCallId: ItemId, output: string): Promise<void> {
    if (!this.#tails.has(toolCallId)) return
    const tail = lastBytes(output, tailBytes)
    this.#tails.set(toolCallId, tail)
    await this.#send({ sessionUpdate: 'tool_call_update', toolCallId, content: [textContent(fenced(tail))] })
  }

  /** Shows that a call runs. The terminal of a command takes the place of the question about it. */
  async #begin(itemId: ItemId): Promise<void> {
    const isShown = this.#announced.has(itemId) && this.#texts.has(itemId)
    if (isShown) this.#texts.set(itemId, { type: 'commandExecution', sentLength: 0 })
    await this.#setStatus(itemId, 'in_progress', isShown ? { content: [terminalContent(itemId)] } : {})
  }

  /** Says that a stream was cut, because a client cannot take back shown text; the retry is a new message. */
  async #discard(itemId: ItemId, reason: string): Promise<void> {
    await this.#setStatus(itemId, 'failed')
    const open = this.#texts.get(itemId)
    this.#texts.delete(itemId)
    if (open === undefined || open.type === 'commandExecution' || open.sentLength === 0) return
    this.#cutReason = reason
    await this.#send(chunk('agentMessage', `\n\n*(${reason})*\n\n`, itemId))
  }

  /** Sends the status of a call that the client knows. */
  async #setStatus(
    toolCallId: ItemId,
    status: ToolCallStatus,
    more: { readonly content?: ToolCallContent[] } = {},
  ): Promise<void> {
    if (!this.#announced.has(toolCallId)) return
    await this.#send({ sessionUpdate: 'tool_call_update', toolCallId, status, ...more })
  }

  async #sendFinished(item: Item, isPast: boolean): Promise<void> {
    if (isCall(item)) {
      if (!isSilent(item)) await this.#sendEnded(item)
      return
    }
    if (item.type === 'agentMessage' || item.type === 'reasoning') {
      await this.#endText(item)
    } else if (item.type === 'userMessage') {
      // A client shows its own messages itself; it lacks only past messages and messages of other clients.
      if (isPast || !this.#isOwn(item.messageId)) await this.#send(chunk(item.type, item.text, item.id))
    } else if (item.type !== 'notice' || item.level !== 'info') {
      const text = item.text === '' ? item.title : item.text
      await this.#send(chunk('agentMessage', `\n\n${text}\n\n`, item.id))
    }
  }

  async #endText(item: ItemOf<'agentMessage' | 'reasoning'>): Promise<void> {
    const rest = item.text.slice(this.#texts.get(item.id)?.sentLength ?? 0)
    const isNew = !this.#texts.delete(item.id)
    if (isNew) await this.#separate(item)
    if (rest !== '') await this.#send(chunk(item.type, rest, item.id))
    if (isNew) await this.#sendPictures(item)
  }

  async #sendPictures(item: Item): Promise<void> {
    for (const update of await pictureChunks(this.#conversation, item)) await this.#send(update)
  }

  async #sendCall(item: CallItem): Promise<void> {
    const files = await changedTexts(this.#conversation, item)
    const update = { ...callUpdate(item, files), ...this.#terminalOf(item) }
    const isKnown = this.#announced.has(item.id)
    this.#announced.add(item.id)
    await this.#send(
      isKnown ? { sessionUpdate: 'tool_call_update', ...update } : { sessionUpdate: 'tool_call', ...update },
    )
  }

  #terminalOf(item: CallItem): Partial<ToolCall> {
    if (item.type !== 'commandExecution') return {}
    if (!this.#showsTerminals) {
      this.#tails.set(item.id, '')
      return {}
    }
    this.#texts.set(item.id, { type: 'commandExecution', sentLength: 0 })
    return { content: [terminalContent(item.id)], ...terminalInfo(item) }
  }

  /** Sends a call that has ended. A command with a terminal has its output there, and only other words beside it. */
  async #sendEnded(item: CallItem): Promise<void> {
    if (!this.#showsTerminals || item.type !== 'commandExecution') {
      await this.#sendCall(item)
      this.#tails.delete(item.id)
      return
    }
    if (!this.#announced.has(item.id)) await this.#sendCall(item)
    await this.#continue(item.id, restOfOutput(item, this.#texts.get(item.id)?.sentLength ?? 0))
    this.#texts.delete(item.id)
    const { output: _inTerminal, ...others } = item
    const { content = [], ...update } = callUpdate(others, [])
    await this.#send({
      sessionUpdate: 'tool_call_update',
      ...update,
      // A terminal of a command that never ran would stay empty.
      content: item.output === undefined ? content : [terminalContent(item.id), ...content],
      ...terminalExit(item),
    })
  }
}

/** Bytes of the output of a running command that a client without terminals is shown. */
const tailBytes = 2_000

/** Tests if clients see a call by an event of its own. */
function isSilent(item: CallItem): boolean {
  return item.type === 'toolCall' && setsPlan(item)
}

/** Reads old and new text of a change; empty for other calls, and where they cannot be read. */
export async function changedTexts(conversation: Conversation, item: Item | null): Promise<ChangedTexts> {
  return item?.type === 'fileChange' ? await conversation.readChange(item.id).catch(() => []) : []
}
