import type { ConversationEvent, Item } from '@parley/protocol'
import type { ModelCall, ModelEvent, TokenUsage } from '../model/port.ts'
import { type Coalescer, createCoalescer } from './coalescer.ts'
import type { Run } from './drive.ts'
import { proposedItem } from './proposed-item.ts'

type StreamedEvent = Exclude<ModelEvent, { type: 'failed' | 'aborted' }>
type CompletedResponse = Extract<ModelEvent, { type: 'completed' }>

interface OpenText {
  readonly itemId: string
  readonly type: 'agentMessage' | 'reasoning'
  text: string
  readonly deltas: Coalescer
}

/** Turns the events of one model response into items of the conversation. */
export interface ResponseRecorder {
  take(event: StreamedEvent): void
  /** The stream ended without a whole response: what is open stays as it is (`interrupt`) or is void (`discard`). */
  interrupt(): void
  discard(reason: string): void
}

export function createResponseRecorder({ conversation, bench }: Run, turnId: string): ResponseRecorder {
  const open = new Map<string, OpenText>()
  const calls: { itemId: string; call: ModelCall }[] = []
  const texts: string[] = []

  function take(event: StreamedEvent): void {
    switch (event.type) {
      case 'textDelta':
        return openText(event.part, 'agentMessage').deltas.push(event.text)
      case 'reasoningDelta':
        return openText(event.part, 'reasoning').deltas.push(event.text)
      case 'textDone':
        return closeText(event.part, 'agentMessage', event.text)
      case 'reasoningDone':
        return closeText(event.part, 'reasoning', event.text)
      case 'call':
        return proposeCall(event)
      case 'completed':
        return complete(event)
      case 'callDelta':
        return
    }
  }

  function openText(part: string, type: OpenText['type']): OpenText {
    const known = open.get(part)
    if (known !== undefined) return known
    const itemId = bench.ids.item()
    const opened: OpenText = {
      itemId,
      type,
      text: '',
      deltas: createCoalescer(bench.clock, (text) => {
        opened.text += text
        conversation.record({ type: 'item.delta', itemId, text })
      }),
    }
    open.set(part, opened)
    conversation.record({ type: 'item.started', turnId, item: spokenItem(itemId, type, 'inProgress', '') })
    return opened
  }

  function closeText(part: string, type: OpenText['type'], text: string): void {
    const opened = open.get(part)
    if (opened === undefined && text === '') return
    opened?.deltas.stop()
    open.delete(part)
    if (type === 'agentMessage') texts.push(text)
    const itemId = opened?.itemId ?? bench.ids.item()
    conversation.record({ type: 'item.completed', turnId, item: spokenItem(itemId, type, 'completed', text) })
  }

  function proposeCall({ callId, name, arguments: text }: ModelCall): void {
    flushAll()
    const call = { callId, name, arguments: text }
    const item = proposedItem(bench, conversation.state, call)
    calls.push({ itemId: item.id, call })
    conversation.record({ type: 'item.started', turnId, item })
  }

  function complete(event: CompletedResponse): void {
    for (const [part, opened] of open) {
      opened.deltas.flush()
      closeText(part, opened.type, opened.text)
    }
    const listed = calls.map(({ itemId, call }) => ({ itemId, ...call }))
    const responded = {
      turnId,
      adapter: bench.model(conversation).client.adapter,
      parts: [...event.parts],
      text: texts.join('\n\n'),
    }
    conversation.recordAll([usageEvent(event.usage), { type: 'model.responded', ...responded, calls: listed }])
  }

  function usageEvent(counts: TokenUsage): ConversationEvent {
    const { contextWindow } = bench.model(conversation)
    return { type: 'usage.updated', turnId, counts, ...(contextWindow === null ? {} : { contextWindow }) }
  }

  function flushAll(): void {
    for (const { deltas } of open.values()) deltas.flush()
  }

  function interrupt(): void {
    flushAll()
    const cut = [...open.values()].map(({ itemId, type, text }) => spokenItem(itemId, type, 'interrupted', text))
    open.clear()
    conversation.recordAll(cut.map((item) => ({ type: 'item.completed', turnId, item })))
  }

  function discard(reason: string): void {
    for (const { deltas } of open.values()) deltas.stop()
    const ids = [...[...open.values()].map(({ itemId }) => itemId), ...calls.map(({ itemId }) => itemId)]
    open.clear()
    conversation.recordAll(ids.map((itemId) => ({ type: 'item.discarded', itemId, reason })))
  }

  return { take, interrupt, discard }
}

function spokenItem(id: string, type: OpenText['type'], status: Item['status'], text: string): Item {
  return { id, type, status, title: type === 'reasoning' ? 'Reasoning' : 'Answer', text }
}
