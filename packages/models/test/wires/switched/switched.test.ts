import { type AnswerStep, anthropicFrames, chatFrames, geminiFrames, responsesFrames } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  ModelEntry,
  ModelEvent,
  ModelRequest,
  ResponseEntry,
  ToolSpec,
  UserPart,
} from '../../../src/port/model-client.ts'
import type { HttpWire } from '../../../src/port/wire.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { createPartReader } from '../../../src/wires/plugin/read-parts.ts'
import { writeCall } from '../../../src/wires/plugin/write-call.ts'
import { responsesWire } from '../../../src/wires/responses/wire.ts'
import { imagesFollow } from '../../../src/wires/write-entries.ts'
import { readStream } from '../../support/read-body.ts'
import { requestOf, result, textWriter, user } from '../../support/requests.ts'
import { readRequest, type WireName } from './read-request.ts'

interface Side {
  readonly adapter: string
  /** Returns the body of a request. */
  write(entries: readonly ModelEntry[]): string
  /** Returns the answer of the scripted provider, as our reader reads it. */
  speak(step: AnswerStep, request: ModelRequest): readonly ModelEvent[]
}

function httpSide(wire: HttpWire, model: string, frames: typeof chatFrames): Side {
  const adapter = `${wire.version}:mine`
  return {
    adapter,
    write: (entries) => textWriter(wire.createWriter(adapter))(requestOf(entries, { model })),
    speak: (step, request) => readStream(wire, frames(step, 1).map(asFreeform).join(''), request),
  }
}

const packageSide: Side = {
  adapter: 'plugin/1:mine',
  write: (entries) => JSON.stringify(writeCall(requestOf(entries), 'plugin/1:mine')),
  speak(step, request) {
    const reader = createPartReader(request)
    return partsOf(step).flatMap((part) => {
      const read = reader.read(part)
      if ('error' in read || 'unfinished' in read) throw new Error('no answer')
      return read
    })
  },
}

/** Returns the parts of a package of the AI SDK, which gives its reasoning a signature and its calls equal ids. */
function partsOf({ text, reasoning, calls = [] }: AnswerStep): readonly object[] {
  const passage = (type: string, delta: string) => [
    { type: `${type}-start`, id: '0' },
    { type: `${type}-delta`, id: '0', delta },
  ]
  const signed = { type: 'reasoning-end', id: '0', providerMetadata: { maker: { signature: 'sealed-1' } } }
  return [
    ...(reasoning === undefined ? [] : [...passage('reasoning', reasoning), signed]),
    ...(text === undefined ? [] : [...passage('text', text), { type: 'text-end', id: '0' }]),
    ...calls.map(({ name, arguments: input }, nth) => ({
      type: 'tool-call',
      toolCallId: `call_${nth + 1}`,
      toolName: name,
      input: JSON.stringify(input),
    })),
    { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
  ]
}

const sides: Readonly<Record<WireName, Side>> = {
  responses: httpSide(responsesWire, 'gpt-5', responsesFrames),
  chat: httpSide(chatWire, 'qwen3', chatFrames),
  anthropic: httpSide(anthropicWire, 'claude-sonnet-5', anthropicFrames),
  gemini: httpSide(geminiWire, 'gemini-3-pro-preview', geminiFrames),
  plugin: packageSide,
}
const names = Object.keys(sides) as WireName[]
const adapterOf = (name: WireName) => sides[name].adapter

const words = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `w${text}`)
const input = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 3,
})
const anyCall = fc.record({
  called: fc.oneof(
    fc.record({ name: fc.constantFrom('shell', 'read_file'), input }),
    // A freeform tool, which the Responses wire calls with a text.
    fc.record({ name: fc.constant('apply_patch'), input: fc.record({ patch: words }) }),
  ),
  hasImage: fc.boolean(),
  output: fc.oneof(words, fc.constant('')),
  isError: fc.boolean(),
})
const anyRound = fc.record({
  on: fc.constantFrom(...names),
  text: fc.option(words, { nil: undefined }),
  reasons: fc.boolean(),
  calls: fc.array(anyCall, { maxLength: 3 }),
})
const anyTurn = fc.record({ message: words, hasImage: fc.boolean(), rounds: fc.array(anyRound, { maxLength: 3 }) })
type Round = typeof anyRound extends fc.Arbitrary<infer T> ? T : never

const base64 = 'SU1BR0U='
const image = { type: 'image', mediaType: 'image/png', base64 } as const

/** Returns the answer of a provider, as its wire reads it after the entries before. All give their calls equal ids. */
function spoken({ on, text, reasons, calls }: Round, before: readonly ModelEntry[]): ResponseEntry {
  const step = {
    ...(text === undefined && calls.length > 0 ? {} : { text: text ?? 'well' }),
    ...(reasons ? { reasoning: `thought-on-${on}` } : {}),
    calls: calls.map(({ called }) => ({ name: called.name, arguments: called.input })),
  }
  const events = sides[on].speak(step, requestOf(before, { tools: [patch] }))
  const last = events.at(-1)
  if (last?.type !== 'completed') throw new Error(`no answer: ${JSON.stringify(last)}`)
  return {
    kind: 'response',
    adapter: adapterOf(on),
    parts: last.parts,
    text: events.flatMap((event) => (event.type === 'textDone' ? [event.text] : [])).join('\n\n'),
    calls: events.flatMap((event) =>
      event.type === 'call' ? [{ callId: event.callId, name: event.name, arguments: event.arguments }] : [],
    ),
  }
}

const patch: ToolSpec = {
  name: 'apply_patch',
  description: 'Changes files.',
  parameters: { type: 'object' },
  freeform: { field: 'patch', description: 'Changes files.', grammar: 'start: "x"' },
}

/** Returns an event of the Responses wire with calls of the freeform tool in their own form; others unchanged. */
function asFreeform(frame: string): string {
  const [head = '', data = ''] = frame.split('\ndata: ')
  if (!/"type":"response\.(?:output_item|completed)/.test(data)) return frame
  const written: unknown = JSON.parse(data, (_key, value: { type?: string; name?: string; arguments?: string }) => {
    if (value?.type !== 'function_call' || value.name !== 'apply_patch') return value
    const { arguments: args = '', ...item } = value
    return { ...item, type: 'custom_tool_call', input: args === '' ? '' : JSON.parse(args).patch }
  })
  return `${head}\ndata: ${JSON.stringify(written)}\n\n`
}

type Turn = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never

/** Returns the conversation of these turns, each round on its own wire. */
function conversationOf(turns: readonly Turn[]): readonly ModelEntry[] {
  const entries: ModelEntry[] = []
  for (const { message, hasImage, rounds } of turns) {
    const said = user(message)
    entries.push(hasImage && said.kind === 'user' ? { ...said, content: [...said.content, image] } : said)
    for (const round of rounds) {
      const answer = spoken(round, entries)
      const outputs = answer.calls.map(({ callId }, nth): ModelEntry => {
        const { output = '', isError = false, hasImage: isShown = false } = round.calls[nth] ?? {}
        const found = result(callId, output, isError)
        return found.kind === 'result' && isShown && !isError ? { ...found, images: [image] } : found
      })
      entries.push(answer, ...outputs)
    }
  }
  return entries
}

/** JSON without the difference between 0 and -0, which JSON itself has not. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each(names)('a conversation of several wires goes on with the %s wire', (target) => {
  const { write } = sides[target]

  it('with all text, calls and results, each call answered once before anything else is said', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), (turns) => {
        const entries = conversationOf(turns)
        const said = readRequest(target, write(entries))
        const texts = entries.flatMap((entry) => {
          if (entry.kind === 'response') return entry.text === '' ? [] : [entry.text]
          return entry.kind === 'user' ? entry.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : []
        })
        const called = entries.flatMap((entry) => (entry.kind === 'response' ? entry.calls : []))
        const spokenTexts = said.flatMap((message) => message.texts).filter((text) => text !== imagesFollow)
        const joint = target === 'chat' ? '\n\n' : ''
        expect(spokenTexts.join(joint)).toEqual(texts.join(joint))
        for (const [index, { role, results }] of said.entries())
          if (target === 'chat' && role === 'user' && results.length === 0)
            expect(said[index - 1]?.results.length === 0 && said[index - 1]?.role === 'user').toBe(false)
        expect(said.flatMap(({ calls }) => calls.map(({ name, input: args }) => [name, args]))).toEqual(
          called.map(({ name, arguments: written }) => [name, JSON.parse(written)]),
        )
        expect(said.flatMap(({ results }) => results.map(({ text }) => text))).toEqual(
          entries.flatMap((entry) => (entry.kind === 'result' ? [entry.text] : [])),
        )
        expectAnsweredAtOnce(said)
      }),
    )
  })

  it('without the reasoning of the others, with its own, and with images', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), (turns) => {
        const entries = conversationOf(turns)
        const body = write(entries)
        for (const other of names.filter((name) => name !== target)) expect(body).not.toContain(`thought-on-${other}`)
        const sealed = entries.filter((entry) => entry.kind === 'response' && entry.adapter === adapterOf(target))
        const own = sealed.filter((entry) => JSON.stringify(entry).includes('sealed-'))
        expect(body.split('sealed-').length - 1).toBe(own.length)
        const images = entries.flatMap((entry): readonly UserPart[] => {
          if (entry.kind === 'result') return entry.images ?? []
          return entry.kind === 'user' ? entry.content.filter(({ type }) => type === 'image') : []
        })
        expect(body.split(base64).length - 1).toBe(images.length)
      }),
    )
  })

  it('with the same bytes when it was read back from the log', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 3 }), (turns) => {
        const entries = conversationOf(turns)
        expect(write(asJson(entries) as ModelEntry[])).toBe(write(entries))
      }),
    )
  })
})

/** Fails unless the results that follow calls are theirs, each once, and come before any other word. */
function expectAnsweredAtOnce(said: ReturnType<typeof readRequest>): void {
  const open = new Map<string, boolean>()
  const known = new Set<string>()
  for (const { texts, calls, results } of said) {
    for (const { id, isFreeform = false } of results) {
      expect(open.get(id)).toBe(isFreeform)
      open.delete(id)
    }
    if (texts.length > 0) expect(open.size).toBe(0)
    for (const { id, isFreeform = false } of calls) {
      expect(known.has(id)).toBe(false)
      known.add(id)
      open.set(id, isFreeform)
    }
  }
  expect(open.size).toBe(0)
}

it('the conversations have calls of freeform tools, in their own form on their own wire alone', () => {
  const called = { name: 'apply_patch', input: { patch: 'w' } } as const
  const calls = [{ called, hasImage: false, output: 'done', isError: false }]
  const entries = conversationOf([
    { message: 'w', hasImage: false, rounds: [{ on: 'responses', text: undefined, reasons: true, calls }] },
  ])
  const written = names.filter((name) => sides[name].write(entries).includes('"custom_tool_call_output"'))
  expect(written).toEqual(['responses'])
})
