import { randomUUID } from 'node:crypto'
import type { ConversationEvent } from '@parley/protocol'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'

const turnId = randomUUID()
const requested: ConversationEvent = { type: 'model.requested', turnId, attempt: 1 }
const failure = { code: 'overloaded', message: 'It is busy.' }

test('a request to a model counts once, with its time, however it ends', () => {
  const metrics = createMetrics()
  let nowMs = 0
  const count = metrics.conversation(() => nowMs)
  const after = (ms: number, event: ConversationEvent) => {
    nowMs += ms
    count(event)
  }
  count(requested)
  after(3000, { type: 'retry.scheduled', turnId, retryAt: 0, attempt: 2, failure })
  after(1000, requested)
  after(100, { type: 'model.responded', turnId, adapter: 'a', parts: [], text: '', calls: [] })
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  after(5000, { type: 'turn.ended', turnId, outcome: 'completed', usage, denials: [] })
  const lines = metrics.text().split('\n')
  expect(lines).toContain('parley_model_requests_total{outcome="failed"} 1')
  expect(lines).toContain('parley_model_requests_total{outcome="completed"} 1')
  expect(lines).toContain('parley_model_request_seconds_bucket{le="0.25"} 1')
  expect(lines).toContain('parley_model_request_seconds_bucket{le="2"} 1')
  expect(lines).toContain('parley_model_request_seconds_bucket{le="5"} 2')
  expect(lines).toContain('parley_model_request_seconds_sum 3.1')
  expect(lines).toContain('parley_events_total 5')
})

test('conversations are counted together, each with its own request', () => {
  const metrics = createMetrics()
  let nowMs = 0
  const [one, other] = [metrics.conversation(() => nowMs), metrics.conversation(() => nowMs)]
  one(requested)
  nowMs = 1000
  other(requested)
  other({ type: 'model.responded', turnId, adapter: 'a', parts: [], text: '', calls: [] })
  metrics.published(0.0015)
  const lines = metrics.text().split('\n')
  expect(lines).toContain('parley_model_request_seconds_sum 0')
  expect(lines).toContain('parley_events_total 3')
  expect(lines).toContain('parley_store_publish_seconds_bucket{le="0.001"} 0')
  expect(lines).toContain('parley_store_publish_seconds_bucket{le="0.002"} 1')
})
