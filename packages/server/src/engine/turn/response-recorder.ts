import type { ModelCall, ModelEvent } from '@parley/models'
import type { ConversationEvent, EventOf, ItemId, TurnId } from '@parley/protocol'
import { keepExact, proposedItem, unrestorable } from '../calls/propose-call.ts'
import { noticeItem } from '../conversation/notices.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import { createStreamingItems } from './streaming-items.ts'
import type { TurnContext } from './turn-context.ts'

type StreamedEvent = Exclude<ModelEvent, { type: 'failed' | 'aborted' }>
type CompletedResponse = Extract<ModelEvent, { type: 'completed' }>

/** Records the events of one model response as items. */
export interface ResponseRecorder {
  take(event: StreamedEvent): void
  /** Keeps the received text, which is closed with the turn. */
  keep(): void
  /** Stops recording an incomplete response. */
  stop(): void
  /** Tells if the response is too large for a line of the log. */
  isTooLarge(): boolean
}

/** JSON bytes of text and arguments in one response, far above real responses. Its log line holds them twice. */
const maxJsonBytes = 4 * 1024 * 1024

/** Creates the recorder of one response. `source` is the model that streams it, since settings may change meanwhile. */
export function createResponseRecorder(run: TurnContext, turnId: TurnId, source: ModelSource): ResponseRecorder {
  const { conversation, modules } = run
  const spoken = createStreamingItems(run, turnId)
  const calls: EventOf<'model.responded'>['calls'] = []
  let sizeBytes = 0

  function propose({ callId, name, arguments: text }: ModelCall): void {
    spoken.flush()
    const call = { callId, name, arguments: text }
    const item = proposedItem(modules, conversation.state, call)
    const hasSecret = modules.redaction.hasSecret(text)
    if (hasSecret) keepExact(run, item.id, call)
    conversation.record({ type: 'item.started', turnId, item: hasSecret ? unrestorable(item) : item })
    calls.push({ itemId: item.id, ...call })
  }

  function complete({ parts, usage, stop }: CompletedResponse): void {
    spoken.stop()
    const { client, contextWindow } = source
    const text = spoken.messageText()
    const events: ConversationEvent[] = [
      ...spoken.closingEvents(),
      {
        type: 'usage.updated',
        turnId,
        counts: usage,
        ...(contextWindow === null ? {} : { contextWindow }),
      },
      { type: 'model.responded', turnId, adapter: client.adapter, parts: [...parts], text, calls },
    ]
    const notice = stopNotices[stop]
    if (notice !== null) events.push(noticeEvent(modules.ids.item(), turnId, { code: stop, title: notice }))
    conversation.recordAll(events)
  }

  function take(event: StreamedEvent): void {
    sizeBytes += sizeOf(event)
    switch (event.type) {
      case 'textDelta':
        spoken.push(event.part, 'agentMessage', event.text)
        break
      case 'reasoningDelta':
        spoken.push(event.part, 'reasoning', event.text)
        break
      case 'textDone':
        spoken.finish(event.part, 'agentMessage', event.text)
        break
      case 'reasoningDone':
        spoken.finish(event.part, 'reasoning', event.text)
        break
      case 'call':
        propose(event)
        break
      case 'completed':
        complete(event)
        break
      case 'callDelta':
        if (event.name !== undefined) modules.tools.find(({ name }) => name === event.name)?.warmUp?.()
        break
    }
  }

  return { take, keep: spoken.keep, stop: spoken.stop, isTooLarge: () => sizeBytes > maxJsonBytes }
}

function sizeOf(event: StreamedEvent): number {
  if (event.type === 'textDelta' || event.type === 'reasoningDelta') return jsonBytes(event.text)
  return event.type === 'call' ? jsonBytes(event.arguments) : 0
}

/** Notices for responses that end early, by stop reason. */
const stopNotices: Readonly<Record<CompletedResponse['stop'], string | null>> = {
  stop: null,
  length: "The answer ends here because it reached the model's output limit.",
  filter: "The answer ends here because the provider's content filter stopped it.",
}

function noticeEvent(id: ItemId, turnId: TurnId, { code, title }: { code: string; title: string }): ConversationEvent {
  return { type: 'item.completed', turnId, item: noticeItem(id, { level: 'warning', code, title }) }
}
