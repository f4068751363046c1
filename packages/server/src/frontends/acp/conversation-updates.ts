import type { PlanEntry, SessionUpdate, ToolCallStatus } from '@agentclientprotocol/sdk'
import type { Conversation } from '@parley/client'
import {
  type CallItem,
  type ConversationEvent,
  type Envelope,
  type Item,
  type ItemId,
  isCall,
  type Plan,
} from '@parley/protocol'
import { setsPlan } from '@parley/protocol/calls'
import { type ChangedTexts, callUpdate } from './call-updates.ts'

export interface UpdatesOptions {
  readonly conversation: Conversation
  readonly send: (update: SessionUpdate) => Promise<void>
  /** Tests if this client sent a message itself. */
  readonly isOwn: (messageId: string | undefined) => boolean
}

/** Sends what happens in a conversation to its client, in order. */
export class ConversationUpdates {
  readonly #conversation: Conversation
  readonly #send: UpdatesOptions['send']
  readonly #isOwn: UpdatesOptions['isOwn']
  /** Length of the text that was sent of each open message. */
  readonly #sentLengths = new Map<ItemId, number>()
  readonly #announced = new Set<ItemId>()
  readonly #unsubscribe: () => void
  #seq: number
  #queue: Promise<void> = Promise.resolve()

  /** Sends from now on; `replay` sends what was before. */
  constructor({ conversation, send, isOwn }: UpdatesOptions) {
    this.#conversation = conversation
    this.#send = send
    this.#isOwn = isOwn
    this.#seq = conversation.state.core.seq
    this.#unsubscribe = conversation.subscribe((envelope) => this.#take(envelope))
  }

  /** Resolves when everything up to now has been sent. */
  sent(): Promise<void> {
    return this.#queue
  }

  stop(): void {
    this.#unsubscribe()
  }

  /** Sends the finished items of the whole log, oldest first, and the plan. */
  replay(): Promise<void> {
    const { seq, plan } = this.#conversation.state.core
    const replayed = this.#queue.then(async () => {
      for (const item of await this.#itemsUpTo(seq)) await this.#sendFinished(item, true)
      if (plan !== null) await this.#send(planUpdate(plan))
    })
    this.#enqueue(() => replayed)
    return replayed
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

  #take(envelope: Envelope | null): void {
    if (envelope === null) this.#catchUp()
    else {
      this.#seq = envelope.seq
      this.#takeEvent(envelope.event)
    }
  }

  #takeEvent(event: ConversationEvent): void {
    if (event.type === 'item.started') this.#start(event.item)
    else if (event.type === 'item.delta') this.#continue(event.itemId, event.text)
    else if (event.type === 'execution.started') this.#setStatus(event.itemId, 'in_progress')
    else if (event.type === 'item.completed') this.#enqueue(() => this.#sendFinished(event.item, false))
    else if (event.type === 'item.discarded') this.#discard(event.itemId, event.reason)
    else if (event.type === 'plan.updated') this.#enqueue(() => this.#send(planUpdate(event.plan)))
  }

  /** After a replaced state, sends the finished items whose events were not received. */
  #catchUp(): void {
    const { core, window } = this.#conversation.state
    const missed = window.filter(({ seq }) => seq > this.#seq)
    this.#seq = core.seq
    for (const { item } of missed) this.#enqueue(() => this.#sendFinished(item, false))
  }

  #start(item: Item): void {
    if (item.type === 'agentMessage' || item.type === 'reasoning') this.#continue(item.id, item.text)
    else if (isCall(item) && !isSilent(item)) this.#enqueue(() => this.#sendCall(item))
  }

  #continue(itemId: ItemId, text: string): void {
    const type = this.#conversation.state.core.open[itemId]?.item.type
    if (text === '' || (type !== 'agentMessage' && type !== 'reasoning')) return
    this.#sentLengths.set(itemId, (this.#sentLengths.get(itemId) ?? 0) + text.length)
    this.#enqueue(() => this.#send(chunk(type, text, itemId)))
  }

  /** Says that a stream was cut, because a client cannot take back what it shows; the retry is a new message. */
  #discard(itemId: ItemId, reason: string): void {
    this.#setStatus(itemId, 'failed')
    if (!this.#sentLengths.delete(itemId)) return
    this.#enqueue(() => this.#send(chunk('agentMessage', `\n\n*(${reason})*\n\n`, itemId)))
  }

  /** Sends the status of a call that the client knows. */
  #setStatus(toolCallId: ItemId, status: ToolCallStatus): void {
    this.#enqueue(async () => {
      if (this.#announced.has(toolCallId)) await this.#send({ sessionUpdate: 'tool_call_update', toolCallId, status })
    })
  }

  async #sendFinished(item: Item, isPast: boolean): Promise<void> {
    if (isCall(item)) {
      if (!isSilent(item)) await this.#sendCall(item)
      return
    }
    if (item.type === 'agentMessage' || item.type === 'reasoning') {
      const rest = item.text.slice(this.#sentLengths.get(item.id) ?? 0)
      this.#sentLengths.delete(item.id)
      if (rest !== '') await this.#send(chunk(item.type, rest, item.id))
    } else if (item.type === 'userMessage') {
      // A client shows what it sends itself; only past messages and those of others are news.
      if (isPast || !this.#isOwn(item.messageId)) await this.#send(chunk(item.type, item.text, item.id))
    } else if (item.type !== 'notice' || item.level !== 'info') {
      const text = item.text === '' ? item.title : item.text
      await this.#send(chunk('agentMessage', `\n\n${text}\n\n`, item.id))
    }
  }

  async #sendCall(item: CallItem): Promise<void> {
    const update = callUpdate(item, await changedTexts(this.#conversation, item))
    const isKnown = this.#announced.has(item.id)
    this.#announced.add(item.id)
    await this.#send(
      isKnown ? { sessionUpdate: 'tool_call_update', ...update } : { sessionUpdate: 'tool_call', ...update },
    )
  }

  /** Runs one after the other. A client that is gone gets nothing more. */
  #enqueue(run: () => Promise<void>): void {
    this.#queue = this.#queue.then(run).catch(() => undefined)
  }
}

/** Tests if clients see a call by an event of its own. */
function isSilent(item: CallItem): boolean {
  return item.type === 'toolCall' && setsPlan(item)
}

/** Reads old and new text of a change; empty for other calls, and where they cannot be read. */
export async function changedTexts(conversation: Conversation, item: Item | null): Promise<ChangedTexts> {
  return item?.type === 'fileChange' ? await conversation.readChange(item.id).catch(() => []) : []
}

const chunkKinds = {
  agentMessage: 'agent_message_chunk',
  reasoning: 'agent_thought_chunk',
  userMessage: 'user_message_chunk',
} as const

function chunk(type: keyof typeof chunkKinds, text: string, messageId: ItemId): SessionUpdate {
  return { sessionUpdate: chunkKinds[type], content: { type: 'text', text }, messageId }
}

const stepStatuses = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' } as const

function planUpdate({ steps }: Plan): SessionUpdate {
  const entries = steps.map(
    ({ step, status }): PlanEntry => ({ content: step, priority: 'medium', status: stepStatuses[status] }),
  )
  return { sessionUpdate: 'plan', entries }
}
