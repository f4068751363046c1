import { type ConversationState, type Envelope, reduce } from '@parley/protocol'
import { createModelView, type ModelView } from '../core/model-view.ts'
import { envelopeOf, type LogLine } from '../log/read-log.ts'

/** State and view of a log, folded line by line. */
export interface LogFold {
  take(line: LogLine): void
  readonly state: ConversationState
  readonly view: ModelView
}

export function createLogFold(start: ConversationState): LogFold {
  const view = createModelView()
  const { conversationId } = start.core.meta
  let state = start
  return {
    take(line) {
      const logged = envelopeOf(line)
      if (logged === null) return
      const envelope = { conversationId, ...logged } as Envelope // narrowed: our own log; the reducer passes over events it does not know
      state = reduce(state, envelope)
      view.apply(envelope.event)
    },
    get state() {
      return state
    },
    view,
  }
}
