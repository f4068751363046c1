import type { ModelCall, ModelEvent } from '@parley/models'
import {
  type ConversationEvent,
  type EventOf,
  type ItemId,
  limits,
  type StopReason,
  type TurnId,
} from '@parley/protocol'
import { type ProposalContext, proposeCall } from '../calls/propose-call.ts'
import { noticeItem } from '../conversation/notices.ts'
import { counted, createResponseSize } from '../model-calls/response-size.ts'
import type { CurrentModel } from '../roles/roles.ts'
import { keepPicture } from './made-picture.ts'
import { createStreamingItems, type StreamedType } from './streaming-items.ts'

type StreamedEvent = Exclude<ModelEvent, { type: 'failed' | 'aborted' | PictureEvent['type'] }>
type PictureEvent = Extract<ModelEvent, { type: 'picture' | 'pictureText' }>
type CompletedResponse = Extract<ModelEvent, { type: 'completed' }>

/** Records the events of one model response as items. */
interface ResponseRecorder {
  take(event: StreamedEvent): void
  /** Keeps a picture beside the log, then records the message that shows it. */
  takePicture(event: PictureEvent): Promise<void>
  /** Keeps the received text, which is closed with the turn. */
  keep(): void
  /** Stops recording an incomplete response. */
  stop(): void
  /** Tells if the response is too large for a line of the log. */
  isTooLarge(): boolean
}

/** Creates the recorder of one response, which `source` streams: settings may change meanwhile. */
export function createResponseRecorder(
  context: ProposalContext,
  turnId: TurnId,
  source: CurrentModel,
): ResponseRecorder {
  const { conversation, ids } = context.record
  const streaming = createStreamingItems(context.record, turnId)
  const calls: EventOf<'model.responded'>['calls'] = []
  const size = createResponseSize()

  function propose({ callId, name, arguments: text }: ModelCall): void {
    streaming.flush()
    calls.push(proposeCall(context, turnId, () => ({ callId, name, arguments: text })))
  }

  function complete({ parts, usage, stop, why }: CompletedResponse): void {
    streaming.stop()
    const { client, choice, facts } = source
    const text = streaming.messageText()
    const cut = cuts[stop]
    const events: ConversationEvent[] = [
      ...streaming.closingEvents(),
      {
        type: 'usage.updated',
        turnId,
        counts: counted(usage, facts),
        by: choice,
        ...(facts.contextWindow === null ? {} : { contextWindow: facts.contextWindow }),
        ...(cut === undefined ? {} : { stopReason: cut.reason }),
        ...(cut === undefined || why === undefined ? {} : { stopWords: why }),
        ...(stop === 'paused' ? { paused: true } : {}),
      },
      { type: 'model.responded', turnId, adapter: client.adapter, parts: parts.slice(), text, calls },
    ]
    // Without calls the turn ends here, and its failure says it.
    if (cut !== undefined && calls.length > 0)
      events.push(noticeEvent(ids.item(), turnId, { ...cut, ...(why === undefined ? {} : { why }) }))
    conversation.recordAll(events)
  }

  function take(event: StreamedEvent): void {
    size.add(event)
    switch (event.type) {
      case 'textDelta':
        streaming.push(event.part, 'agentMessage', event.text)
        break
      case 'reasoningDelta':
        streaming.push(event.part, reasoningType(event), event.text)
        break
      case 'textDone':
        streaming.finish(event.part, 'agentMessage', event.text)
        break
      case 'reasoningDone':
        streaming.finish(event.part, reasoningType(event), event.text)
        break
      case 'call':
        propose(event)
        break
      case 'completed':
        complete(event)
        break
      case 'callDelta':
        streaming.goesOn()
        if (event.name !== undefined) context.act.tools.find(({ name }) => name === event.name)?.warmUp?.()
        break
    }
  }

  async function takePicture(event: PictureEvent): Promise<void> {
    streaming.show(event.part, await keepPicture(event, conversation.sideFiles))
  }

  return {
    take,
    takePicture,
    keep: streaming.keep,
    stop: streaming.stop,
    isTooLarge: () => size.bytes() > limits.response,
  }
}

interface Cut {
  readonly reason: StopReason
  /** Notice where the turn goes on with the calls of the response. */
  readonly title: string
  /** Words of the provider. */
  readonly why?: string
}

/** Responses that end early, by stop reason. */
const cuts: Readonly<Record<CompletedResponse['stop'], Cut | undefined>> = {
  stop: undefined,
  paused: undefined,
  length: { reason: 'outputLimit', title: "The answer ends here because it reached the model's output limit." },
  context: { reason: 'context', title: "The answer ends here because the model's context window is full." },
  filter: { reason: 'filtered', title: "The answer ends here because the provider's content filter stopped it." },
}

function noticeEvent(id: ItemId, turnId: TurnId, { reason, title, why }: Cut): ConversationEvent {
  const whole = why === undefined ? title : `${title} It said: ${why}`
  return { type: 'item.completed', turnId, item: noticeItem(id, { level: 'warning', code: reason, title: whole }) }
}

function reasoningType({ raw }: { readonly raw?: true }): StreamedType {
  return raw === true ? 'rawReasoning' : 'reasoning'
}
