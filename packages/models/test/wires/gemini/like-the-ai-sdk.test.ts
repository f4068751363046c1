import { createGoogle } from '@ai-sdk/google'
import { describe, expect, it } from 'vitest'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { fixture, readPieces } from '../../support/read-body.ts'
import { readAsSdk, readAsWire } from '../../support/sdk-answer.ts'

describe('the Gemini wire and the AI SDK', () => {
  it.each(['gemini-answer', 'gemini-text', 'gemini-length', 'gemini-safety', 'gemini-parallel', 'gemini-pieces'])(
    'read the same from %s',
    async (name) => {
      const bytes = fixture(name)
      const model = (fetch: typeof globalThis.fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro-preview')
      expect(readAsWire(readPieces(geminiWire, [bytes]))).toEqual(await readAsSdk(model, bytes))
    },
  )
})
