import { createAnthropic } from '@ai-sdk/anthropic'
import { describe, expect, it } from 'vitest'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { fixture, readPieces } from '../../support/read-body.ts'
import { readAsSdk, readAsWire } from '../../support/sdk-answer.ts'

describe('the Messages wire and the AI SDK', () => {
  it.each(['anthropic-answer', 'anthropic-length', 'anthropic-refusal', 'anthropic-counts'])(
    'read the same from %s',
    async (name) => {
      const bytes = fixture(name)
      const model = (fetch: typeof globalThis.fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5')
      expect(readAsWire(readPieces(anthropicWire, [bytes]))).toEqual(await readAsSdk(model, bytes))
    },
  )
})
