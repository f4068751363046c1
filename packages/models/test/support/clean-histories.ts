import type { ModelEntry, UserPart } from '../../src/port/model-client.ts'
import { response } from './requests.ts'

type Wire = 'responses' | 'chat' | 'anthropic' | 'gemini' | 'plugin'

/** Returns histories as clean providers leave them: the same ones each time, made from their numbers. */
export function cleanHistories(count: number, wire: Wire, adapter: string): readonly (readonly ModelEntry[])[] {
  return Array.from({ length: count }, (_, seed) => cleanHistory(seed, wire, adapter))
}

function cleanHistory(seed: number, wire: Wire, adapter: string): readonly ModelEntry[] {
  const draw = drawing(seed)
  const turns = 1 + draw(4)
  return Array.from({ length: turns }, (_, turn) => [
    userEntry(draw),
    ...Array.from({ length: draw(3) }, (_, nth) => roundOf({ draw, wire, adapter, number: `${turn}_${nth}` })).flat(),
  ]).flat()
}

/** Returns a function that draws numbers below a limit, in an order that the seed determines. */
function drawing(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Draw = (below: number) => number

const texts = [
  'Fix it.',
  'Grüße 👋🏽',
  'tab\tand\nline',
  'back\\slash "quoted"',
  '\\ud83d is written so',
  '한국어',
  '\u0000\u2028\ufffd',
]

const textOf = (draw: Draw) => texts[draw(texts.length)] ?? ''

const image = { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' } as const

function userEntry(draw: Draw): ModelEntry {
  const parts: UserPart[] = [{ type: 'text', text: textOf(draw) }]
  if (draw(5) === 0) parts.push(image)
  if (draw(5) === 0) parts.push({ type: 'text', text: textOf(draw) })
  return { kind: 'user', content: parts }
}

interface Round {
  readonly draw: Draw
  readonly wire: Wire
  readonly adapter: string
  readonly number: string
}

/** Returns an answer, of the wire or of another one, with the results of its calls. */
function roundOf({ draw, wire, adapter, number }: Round): readonly ModelEntry[] {
  const isOwn = draw(3) > 0
  const text = draw(3) === 0 ? '' : textOf(draw)
  const names = isOwn ? ['shell', 'mcp__fix__go_3f1ec53b', 'read-file'] : ['shell', 'functions.search', 'x'.repeat(70)]
  const calls = Array.from({ length: text === '' ? 1 + draw(2) : draw(3) }, (_, nth) => ({
    callId: isOwn || wire === 'plugin' || draw(2) === 0 ? `call_${number}_${nth}` : `functions.shell:${number}${nth}`,
    name: names[draw(names.length)] ?? '',
    arguments: JSON.stringify({ command: textOf(draw), deep: [{ text: textOf(draw) }] }),
  }))
  const parts = isOwn ? ownParts[wire]({ text, calls, thought: draw(2) === 0 ? textOf(draw) : '' }) : []
  const answer = response({ adapter: isOwn ? adapter : 'other/1:x', parts, text, calls })
  return [answer, ...calls.map(({ callId }) => resultOf(callId, draw))]
}

function resultOf(callId: string, draw: Draw): ModelEntry {
  const images = draw(6) === 0 ? { images: [image] } : {}
  return { kind: 'result', callId, text: textOf(draw), isError: draw(5) === 0, ...images }
}

interface Answer {
  readonly text: string
  readonly thought: string
  readonly calls: readonly { readonly callId: string; readonly name: string; readonly arguments: string }[]
}

/** Parts as the readers of the wires give them. */
const ownParts: Readonly<Record<Wire, (answer: Answer) => readonly object[]>> = {
  chat: ({ text, thought, calls }) => [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0 || thought === '' ? {} : { reasoning_content: thought }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ callId, name, arguments: written }) => ({
              id: callId,
              type: 'function',
              function: { name, arguments: written },
            })),
          }),
    },
  ],
  responses: ({ text, thought, calls }) => [
    ...(thought === ''
      ? []
      : [
          { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: thought }], encrypted_content: 'e' },
        ]),
    ...(text === ''
      ? []
      : [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      id: `fc_${callId}`,
      type: name === 'shell' ? 'function_call' : 'custom_tool_call',
      call_id: callId,
      name,
      ...(name === 'shell' ? { arguments: written } : { input: written }),
      status: 'completed',
    })),
  ],
  anthropic: ({ text, thought, calls }) => [
    ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: 'sealed' }]),
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool_use',
      id: callId,
      name,
      input: JSON.parse(written),
    })),
  ],
  gemini: ({ text, thought, calls }) => [
    ...(thought === '' ? [] : [{ text: thought, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ callId, name, arguments: written }, nth) => ({
      functionCall: { ...(nth === 0 ? { id: callId } : {}), name, args: JSON.parse(written) },
      ...(nth === 0 ? { thoughtSignature: 'sealed' } : {}),
    })),
  ],
  plugin: ({ text, thought, calls }) => [
    ...(thought === '' ? [] : [{ type: 'reasoning', text: thought, providerOptions: { maker: { signature: 's' } } }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ callId, name, arguments: written }) => ({
      type: 'tool-call',
      toolCallId: callId,
      toolName: name,
      input: JSON.parse(written),
    })),
  ],
}
