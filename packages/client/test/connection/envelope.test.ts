import { expect, test } from 'vitest'
import { isEnvelope } from '../../src/connection/client.ts'

const envelope = { conversationId: 'c', seq: 1, at: 0, event: { type: 'turn.started' } }

test.each([
  ['a known event', envelope],
  ['an event of a kind that is not known', { ...envelope, event: { type: 'mood.changed', mood: 'good' } }],
  ['with fields that are not known', { ...envelope, crc: 'ab', more: true }],
])('%s is an envelope', (_name, value) => {
  expect(isEnvelope(value)).toBe(true)
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'envelope'],
  ['a list', [envelope]],
  ['without a number', { ...envelope, seq: '1' }],
  ['without a time', { conversationId: 'c', seq: 1, event: envelope.event }],
  ['without an event', { ...envelope, event: null }],
  ['with an event without a type', { ...envelope, event: {} }],
  ['with a type that is no text', { ...envelope, event: { type: 1 } }],
])('%s is none', (_name, value) => {
  expect(isEnvelope(value)).toBe(false)
})
