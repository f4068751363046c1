import type { EventOf, MessageCall } from '@parley/protocol'
import type { TurnContext } from '../turn/turn-context.ts'
import { proposeCall } from './propose-call.ts'

/** Adapter of a response that no model gave. */
const noAdapter = 'none'

/** Records the calls of a message as a response of the model, so that all that holds for its calls holds for them. */
export function makeCalls(context: TurnContext, wanted: readonly MessageCall[]): void {
  const { conversation } = context
  const turnId = conversation.state.core.turn?.id
  if (turnId === undefined) return
  const calls = wanted.map(({ name, arguments: text }): EventOf<'model.responded'>['calls'][number] =>
    proposeCall(context, turnId, (itemId) => ({ callId: itemId, name, arguments: text })),
  )
  conversation.record({ type: 'model.responded', turnId, adapter: noAdapter, parts: [], text: '', calls })
}
