import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEntry } from '../../src/port/model-client.ts'
import { anthropicWire } from '../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../src/wires/chat/wire.ts'
import { geminiWire } from '../../src/wires/gemini/wire.ts'
import { responsesWire } from '../../src/wires/responses/wire.ts'
import { requestOf, response, result, textWriter, user } from '../support/requests.ts'

const anyId = fc.constantFrom('c1', 'c2', 'fc|3')
const anyText = fc.constantFrom('', ' ', 'said', 'Grüße "x"')
const anyImage = fc
  .constantFrom('QUJD', 'aGk=')
  .map((base64) => ({ type: 'image', mediaType: 'image/png', base64 }) as const)
/** Part of a response, as one or the other wire keeps it. */
const anyPart = fc.oneof(
  anyId.map((id) => ({ type: 'custom_tool_call', call_id: id })),
  anyId.map((id) => ({ functionCall: { id } })),
  fc.constantFrom({ type: 'reasoning' }, { type: 'text', text: 'Hi' }),
)
const anyCall = fc.record({ callId: anyId, name: fc.constantFrom('shell', 'made up!'), arguments: fc.constant('{}') })
const anyResponse = fc.record({
  adapter: fc.constantFrom('own', 'other'),
  parts: fc.array(anyPart, { maxLength: 2 }),
  text: anyText,
  calls: fc.array(anyCall, { maxLength: 2 }),
})
const anyResult = fc.record({ id: anyId, text: anyText, isError: fc.boolean(), images: fc.array(anyImage) })
const anyEntry: fc.Arbitrary<ModelEntry> = fc.oneof(
  fc.tuple(anyText, fc.array(anyImage, { maxLength: 1 })).map(([text, images]) => shownBeside(text, images)),
  anyResponse.map(response),
  anyResult.map(({ id, text, isError, images }) => ({ ...result(id, text, isError), images })),
)

function shownBeside(
  text: string,
  images: readonly { type: 'image'; mediaType: string; base64: string }[],
): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }, ...images] }
}

/** Views of one conversation: each goes to `end`, without the entries from `from` on that were compacted. */
const anyViews = fc.array(fc.record({ end: fc.nat(12), from: fc.nat(12), compacted: fc.constantFrom(0, 0, 0, 1, 3) }))

describe.each([
  ['responses', responsesWire, ['gpt-5', 'gpt-4.1']],
  ['chat', chatWire, ['qwen3', 'devstral']],
  ['gemini', geminiWire, ['gemini-3-pro', 'gemini-2.5-pro']],
  ['anthropic', anthropicWire, ['claude-sonnet-5']],
] as const)('the %s request that goes on from earlier ones', (_name, { createWriter }, models) => {
  const anew = (entries: readonly ModelEntry[], model: string) =>
    textWriter(createWriter('own'))(requestOf(entries, { model }))

  it('is the same, byte for byte, as one that is written anew, whichever views and models came before', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 12 }), anyViews, fc.boolean(), (talk, views, changes) => {
        const write = textWriter(createWriter('own'))
        for (const [nth, { end, from, compacted }] of views.entries()) {
          const entries = talk.slice(0, end).toSpliced(from, compacted)
          const model = models[changes ? nth % models.length : 0] ?? ''
          expect(write(requestOf(entries, { model }))).toBe(anew(entries, model))
        }
      }),
    )
  })

  it('is the same while the conversation grows by one entry after the other', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 12 }), fc.constantFrom(...models), (talk, model) => {
        const write = textWriter(createWriter('own'))
        for (const end of [...talk.keys(), talk.length]) {
          const entries = talk.slice(0, end)
          expect(write(requestOf(entries, { model }))).toBe(anew(entries, model))
        }
      }),
    )
  })

  it('does not depend on those of another conversation in between', () => {
    const write = textWriter(createWriter('own'))
    const talks = [[user('one')], [user('two')]]
    for (let round = 0; round < 20; round += 1)
      for (const talk of talks) {
        talk.push(response({ text: `Grüße ${round}` }), user(`next ${round}`))
        expect(write(requestOf([...talk], { model: models[0] }))).toBe(anew(talk, models[0]))
      }
  })

  it('is sent in few pieces, nearly all of them those of the request before', () => {
    const write = createWriter('own')
    const talk = [user('hi')]
    let sent = new Set<Uint8Array>()
    let made = 0
    for (let round = 0; round < 1000; round += 1) {
      talk.push(response({ text: `answer ${round}` }), user(`message ${round}`))
      const pieces = write(requestOf([...talk], { model: models[0] }))
      made += pieces.filter((piece) => !sent.has(piece)).reduce((sum, { length }) => sum + length, 0)
      expect(pieces.length).toBeLessThan(20)
      sent = new Set(pieces)
    }
    const { length } = Buffer.concat(write(requestOf(talk, { model: models[0] })))
    // Each byte is copied about as often as the pieces double; each request has a head and an open end of its own.
    expect(made).toBeLessThan(30 * length)
  })
})
