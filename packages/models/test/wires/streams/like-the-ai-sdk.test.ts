import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, it } from 'vitest'
import type { HttpWire } from '../../../src/port/wire.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../../src/wires/responses/wire.ts'
import { readPieces } from '../../support/read-body.ts'
import { readAsSdk, readAsWire } from '../../support/sdk-answer.ts'
import { anthropicDifferences, anthropicShapes } from './anthropic-shapes.ts'
import { chatDifferences, chatShapes } from './chat-shapes.ts'
import { geminiShapes } from './gemini-shapes.ts'
import { responsesDifferences, responsesShapes } from './responses-shapes.ts'

type Fetch = typeof globalThis.fetch

interface Reader {
  readonly wire: HttpWire
  readonly sdk: Parameters<typeof readAsSdk>[0]
  readonly shapes: Readonly<Record<string, readonly object[]>>
}

const readers: Readonly<Record<string, Reader>> = {
  anthropic: {
    wire: anthropicWire,
    sdk: (fetch: Fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'),
    shapes: anthropicShapes,
  },
  chat: {
    wire: chatWire,
    sdk: (fetch: Fetch) =>
      createOpenAICompatible({ name: 'x', baseURL: 'http://x/v1', includeUsage: true, fetch }).chatModel('m'),
    shapes: chatShapes,
  },
  gemini: {
    wire: geminiWire,
    sdk: (fetch: Fetch) => createGoogle({ apiKey: 'key', fetch })('gemini-3-pro-preview'),
    shapes: geminiShapes,
  },
  responses: {
    wire: responsesWire,
    sdk: (fetch: Fetch) => createOpenAI({ apiKey: 'key', fetch }).responses('gpt-5'),
    shapes: responsesShapes,
  },
}

function bytesOf(wire: HttpWire, events: readonly object[]): Buffer {
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return Buffer.from(wire === chatWire ? `${stream}data: [DONE]\n\n` : stream)
}

/** Reads a stream here, whole and byte by byte, which must be the same. */
function readHere(wire: HttpWire, events: readonly object[]) {
  const bytes = bytesOf(wire, events)
  const answer = readAsWire(readPieces(wire, [bytes]))
  expect(
    readAsWire(
      readPieces(
        wire,
        [...bytes].map((byte) => Uint8Array.of(byte)),
      ),
    ),
  ).toEqual(answer)
  return answer
}

describe.each(Object.entries(readers))('the %s wire and the AI SDK', (_name, { wire, sdk, shapes }) => {
  it.each(Object.entries(shapes))('read the same from a stream with %s', async (_shape, events) => {
    expect(readHere(wire, events)).toEqual(await readAsSdk(sdk, bytesOf(wire, events)))
  })
})

/** What is read here of shapes that the AI SDK reads otherwise. */
const meant: readonly (readonly [string, HttpWire, readonly object[] | undefined, object])[] = [
  [
    'text in the start of its block',
    anthropicWire,
    anthropicDifferences['text in the start of its block'],
    { text: 'Hello' },
  ],
  [
    'a summary of the provider, which is no part of the answer',
    anthropicWire,
    anthropicDifferences['a summary of the provider, which is no part of the answer'],
    { text: 'On.', usage: { input: 427, cached: 4, output: 59 } },
  ],
  [
    'reasoning counted beside the completion, as the total tells',
    chatWire,
    chatDifferences['reasoning counted beside the completion, as the total tells'],
    { text: 'Hello', usage: { input: 20, cached: 4, output: 14 } },
  ],
  [
    'content in a list, thoughts among it',
    chatWire,
    chatDifferences['content in a list, thoughts among it'],
    { text: 'Hello', reasoning: 'Hm.' },
  ],
  [
    'a call of a tool of the provider that no request names',
    responsesWire,
    responsesDifferences['a call of a tool of the provider that no request names'],
    { text: 'Listed.', calls: [] },
  ],
  [
    'a freeform call, whose text stands for one field',
    responsesWire,
    responsesDifferences['a freeform call, whose text stands for one field'],
    { calls: [{ name: 'sql', input: { input: 'SELECT 1' } }] },
  ],
]

describe('a stream that the AI SDK reads otherwise', () => {
  it.each(meant)('with %s is read as it is meant', (_shape, wire, events, answer) => {
    expect(readHere(wire, events ?? [])).toMatchObject(answer)
  })

  it('leaves out of the next request a call that nothing answers', () => {
    const events = responsesDifferences['a call of a tool of the provider that no request names'] ?? []
    const last = readPieces(responsesWire, [bytesOf(responsesWire, events)]).at(-1)
    expect(last?.type === 'completed' ? last.parts : []).toMatchObject([{ type: 'message' }])
  })
})
