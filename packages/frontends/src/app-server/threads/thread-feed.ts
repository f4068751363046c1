import type { Conversation } from '@parley/client'
import {
  type AnswerMessages,
  answerAfter,
  answerText,
  type ConversationEvent,
  type Envelope,
  type EventOf,
  type FileChangeEntry,
  type Item,
  type ItemId,
} from '@parley/protocol'
import { readDiffs, type ShownChange } from '@parley/protocol/calls'
import { noMessage } from '../../codex-events/events-without-message.ts'
import { threadSettings } from '../shapes/settings.ts'
import { statusOf, type ThreadStatus } from '../shapes/thread.ts'
import { agentMessage, changesOf, type ThreadItem, threadItemOf } from '../shapes/thread-item.ts'
import { runningTurnShape, turnError, turnShape, usageShape } from '../shapes/turn.ts'
import type { Notify } from '../wire/codex-transport.ts'

/** Sends the events of a thread to one client, as notifications of Codex. */
export class ThreadFeed {
  readonly #conversation: Pick<Conversation, 'id' | 'state'>
  readonly #notify: Notify
  /** Open items, with the time of the event that made each, in ms since the epoch, and if the client knows of it. */
  readonly #items = new Map<ItemId, { readonly startedAtMs: number; isShown: boolean }>()
  #status: ThreadStatus
  /** Last message of the model in the turn, for its summary. */
  #answer: ThreadItem | null = null
  /** Text of that answer. */
  #said: AnswerMessages = []
  #changed: readonly FileChangeEntry[] = []
  #before: Conversation['state']

  constructor(conversation: Pick<Conversation, 'id' | 'state'>, notify: Notify) {
    this.#conversation = conversation
    this.#notify = notify
    this.#before = conversation.state
    this.#status = statusOf(conversation.state.core)
    for (const id of Object.keys(conversation.state.core.open)) this.#items.set(id, { startedAtMs: 0, isShown: true })
  }

  get status(): ThreadStatus {
    return this.#status
  }

  /** Takes each event after the state that the client has, in order; null when events were missed. */
  take(envelope: Envelope | null): void {
    if (envelope === null) {
      this.#before = this.#conversation.state
      this.#tellStatus(statusOf(this.#conversation.state.core))
      return
    }
    const { event, at } = envelope
    this.#tellStatus(this.#statusAfter(event))
    this.#tell(event, at)
    this.#before = this.#conversation.state
  }

  /** Ends what runs for a client that may read no more of it. */
  endAccess(message: string, at: number): void {
    const { turn } = this.#before.core
    const failure = { code: 'accessEnded', message, retry: 'never' } as const
    if (turn !== null) this.#turnEnded({ turnId: turn.id, outcome: 'failed', failure }, at)
    else this.#send('warning', { message })
    this.#tellStatus({ type: 'notLoaded' })
  }

  #send(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#notify(method, { threadId: this.#conversation.id, ...params })
  }

  #statusAfter(event: ConversationEvent): ThreadStatus {
    if (event.type === 'turn.ended' && event.outcome === 'failed') return { type: 'systemError' }
    const { core } = this.#conversation.state
    return core.turn === null && this.#status.type === 'systemError' ? this.#status : statusOf(core)
  }

  #tellStatus(status: ThreadStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return
    this.#status = status
    this.#send('thread/status/changed', { status })
  }

  #tell(event: ConversationEvent, at: number): void {
    const { core } = this.#conversation.state
    switch (event.type) {
      case 'turn.started':
        this.#turnStarted(event, at)
        break
      case 'turn.ended':
        this.#turnEnded(event, at)
        break
      case 'item.started':
        this.#itemStarted(event.item, at)
        break
      case 'execution.started':
        this.#executionStarted(event)
        break
      case 'approval.requested':
        this.#asked(event)
        break
      case 'item.delta':
        this.#delta(event)
        break
      case 'item.completed':
        this.#itemCompleted(event.item, event.turnId ?? null, at)
        break
      case 'item.discarded':
        this.#discarded(event.itemId, at)
        break
      case 'plan.updated': {
        const { explanation = null, steps: plan } = event.plan
        this.#send('turn/plan/updated', { turnId: this.#turnId, explanation, plan })
        break
      }
      case 'usage.updated':
        this.#send('thread/tokenUsage/updated', usageShape(event.turnId, { ...core.usage, last: event.counts }))
        break
      case 'retry.scheduled':
        this.#send('error', { turnId: event.turnId, error: turnError(event.failure), willRetry: true })
        break
      case 'conversation.renamed':
        this.#send('thread/name/updated', { threadName: event.name })
        break
      case 'conversation.configured':
      case 'conversation.moved':
        this.#send('thread/settings/updated', { threadSettings: threadSettings(core.settings, core.meta.cwd) })
        break
      // Clients of Codex's app-server have no notifications for these.
      case 'conversation.created':
      case 'conversation.recovered':
      case 'turn.parked':
      case 'execution.failed':
      case 'item.progress':
      case 'context.compacted':
        break
      default:
        noMessage(event)
    }
  }

  get #turnId(): string {
    return this.#conversation.state.core.turn?.id ?? this.#conversation.state.core.lastTurn?.id ?? ''
  }

  get #cwd(): string {
    return this.#conversation.state.core.meta.cwd
  }

  #turnStarted({ turnId: id }: EventOf<'turn.started'>, at: number): void {
    this.#answer = null
    this.#said = []
    this.#changed = []
    this.#send('turn/started', { turn: runningTurnShape(id, at) })
  }

  #turnEnded(
    { turnId: id, outcome, failure }: Pick<EventOf<'turn.ended'>, 'turnId' | 'outcome' | 'failure'>,
    at: number,
  ): void {
    if (outcome === 'failed') this.#send('error', { turnId: id, error: turnError(failure), willRetry: false })
    const items = this.#answer === null ? [] : [this.#answer]
    const startedAtMs = this.#before.core.turn?.startedAt ?? null
    const turn = { id, outcome, failure, startedAtMs, endedAtMs: at, items, itemsView: 'summary' } as const
    this.#send('turn/completed', { turn: turnShape(turn) })
  }

  /** Notes an item. Text is shown as it begins; a call once it is asked about or runs. */
  #itemStarted(item: Item, startedAtMs: number): void {
    this.#items.set(item.id, { startedAtMs, isShown: false })
    const isText = item.type === 'agentMessage' || item.type === 'reasoning'
    if (isText || item.type === 'shellCommand' || item.type === 'contextCompaction') this.#show(item)
    if (item.type === 'reasoning' && item.raw !== true)
      this.#send('item/reasoning/summaryPartAdded', { turnId: this.#turnId, itemId: item.id, summaryIndex: 0 })
  }

  /** Tells the client that an item has started, once. `asked` replaces the files of a patch that is not planned yet. */
  #show(item: Item, asked?: readonly ShownChange[]): void {
    const known = this.#items.get(item.id)
    if (known === undefined || known.isShown) return
    const { startedAtMs } = known
    const shown = threadItemOf(item, { startedAtMs, completedAtMs: null }, this.#cwd)
    known.isShown = true
    if (shown === null) return
    const changes = asked === undefined ? {} : { changes: changesOf(asked, this.#cwd) }
    this.#send('item/started', { turnId: this.#turnId, item: { ...shown, ...changes }, startedAtMs })
  }

  #executionStarted({ itemId, changes }: EventOf<'execution.started'>): void {
    const item = this.#conversation.state.core.open[itemId]?.item
    if (item === undefined) return
    this.#show(item.type === 'fileChange' && changes !== undefined ? { ...item, changes } : item)
  }

  /** Shows the call that is asked about: of a patch, the files that the question shows. */
  #asked({ approval }: EventOf<'approval.requested'>): void {
    const item = this.#conversation.state.core.open[approval.itemId]?.item
    if (item === undefined) return
    if (item.type !== 'fileChange' || item.changes.length > 0) this.#show(item)
    else this.#show(item, readDiffs(approval.detail))
  }

  #delta({ itemId, text: delta }: EventOf<'item.delta'>): void {
    if (delta === '') return
    const item = this.#conversation.state.core.open[itemId]?.item
    const params = { turnId: this.#turnId, itemId, delta }
    switch (item?.type) {
      case 'agentMessage':
        this.#send('item/agentMessage/delta', params)
        break
      case 'commandExecution':
      case 'shellCommand':
        this.#send('item/commandExecution/outputDelta', params)
        break
      case 'reasoning':
        if (item.raw === true) this.#send('item/reasoning/textDelta', { ...params, contentIndex: 0 })
        else this.#send('item/reasoning/summaryTextDelta', { ...params, summaryIndex: 0 })
        break
      default:
    }
  }

  #itemCompleted(item: Item, turnId: string | null, at: number): void {
    if (item.type === 'notice') {
      this.#noticed(item.title, item.code)
      return
    }
    if (!this.#items.has(item.id)) this.#items.set(item.id, { startedAtMs: at, isShown: false })
    this.#show(item)
    const startedAtMs = this.#items.get(item.id)?.startedAtMs ?? at
    this.#items.delete(item.id)
    const shown = threadItemOf(item, { startedAtMs, completedAtMs: at }, this.#cwd)
    if (shown === null) return
    this.#send('item/completed', {
      turnId: turnId ?? this.#turnId,
      item: shown,
      contentTokenCount: null,
      completedAtMs: at,
    })
    if (item.type === 'agentMessage') {
      this.#said = answerAfter(this.#said, item)
      this.#answer = { ...shown, text: answerText(this.#said) }
    }
    if (item.type !== 'fileChange' || item.status !== 'completed' || item.changes.length === 0) return
    this.#changed = [...this.#changed, ...item.changes]
    this.#send('turn/diff/updated', {
      turnId: turnId ?? this.#turnId,
      diff: this.#changed.map(({ diff }) => diff).join(''),
    })
  }

  /** Closes a message with a cut stream; the retry is another message. */
  #discarded(itemId: ItemId, completedAtMs: number): void {
    const known = this.#items.get(itemId)
    const item = this.#before.core.open[itemId]?.item
    this.#items.delete(itemId)
    if (known?.isShown !== true || item?.type !== 'agentMessage') return
    const { startedAtMs } = known
    const shown = { ...agentMessage(itemId, item.text), startedAtMs, completedAtMs }
    this.#send('item/completed', { turnId: this.#turnId, item: shown, contentTokenCount: null, completedAtMs })
  }

  #noticed(message: string, code: string): void {
    // The end of the turn says these itself.
    if (code === 'interrupted' || code === 'shutdown') return
    this.#send('warning', { message })
  }
}
