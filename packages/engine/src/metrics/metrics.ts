import { type ConversationEvent, isCall } from '@parley/protocol'
import { createCounter, createHistogram } from './exposition.ts'

/** Counts the work of a server, without content or ids of conversations and people. */
export interface Metrics {
  /** Returns a listener that counts the events of one conversation. `elapsed` is a clock of ms that only goes on. */
  conversation(elapsed: () => number): (event: ConversationEvent) => void
  /** Counts a message that the store has acknowledged. */
  published(seconds: number): void
  /** Returns the counts as Prometheus reads them. */
  text(): string
}

/** Upper bounds in seconds: of a round trip to a store, and of a model's answer. */
const publishBounds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
const modelBounds = [0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320]

export function createMetrics(): Metrics {
  const events = createCounter({ name: 'parley_events_total', help: 'Events recorded.' })
  const turns = createCounter({ name: 'parley_turns_total', help: 'Turns that ended.' })
  const requests = createCounter({ name: 'parley_model_requests_total', help: 'Requests to models that ended.' })
  const requestSeconds = createHistogram(
    { name: 'parley_model_request_seconds', help: 'Time from a request to the end of its answer.' },
    modelBounds,
  )
  const calls = createCounter({ name: 'parley_calls_total', help: 'Calls of tools that ended.' })
  const answers = createCounter({ name: 'parley_approvals_total', help: 'Approvals that were decided.' })
  const publishSeconds = createHistogram(
    { name: 'parley_store_publish_seconds', help: 'Time until the store acknowledged a message.' },
    publishBounds,
  )

  return {
    conversation(elapsed) {
      let askedAtMs: number | null = null
      const endOfRequest = (outcome: string) => {
        if (askedAtMs === null) return
        requests.add({ outcome })
        requestSeconds.observe((elapsed() - askedAtMs) / 1000)
        askedAtMs = null
      }
      return (event) => {
        events.add()
        switch (event.type) {
          case 'model.requested':
            askedAtMs = elapsed()
            break
          case 'model.responded':
            endOfRequest('completed')
            break
          case 'retry.scheduled':
          case 'model.fellBack':
            endOfRequest('failed')
            break
          case 'turn.ended':
            endOfRequest(event.outcome === 'interrupted' ? 'interrupted' : 'failed')
            turns.add({ outcome: event.outcome })
            break
          case 'item.completed':
            if (isCall(event.item)) calls.add({ type: event.item.type, outcome: event.item.status })
            break
          case 'approval.decided':
            answers.add({ decision: event.decision })
            break
          default:
        }
      }
    },
    published: publishSeconds.observe,
    text: () =>
      [events, turns, requests, requestSeconds, calls, answers, publishSeconds].map((each) => each.text()).join(''),
  }
}
