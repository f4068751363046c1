import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chord } from '../../../src/ui/composer/command.ts'
import {
  type Decoder,
  decode,
  decodeUtf8,
  flush,
  idleDecoder,
  type PartialBytes,
  pendingOf,
} from '../../../src/ui/keys/decoder.ts'
import type { KeyEvent, Reply } from '../../../src/ui/keys/key-event.ts'

function decoded(input: string | Uint8Array): readonly KeyEvent[] {
  return decode(idleDecoder, input).events
}

/** Events as short text: `text:a`, `ctrl+x`, `paste:…`, the reply's type, or `ignored`. */
function brief(event: KeyEvent): string {
  if (event.kind === 'key') return chord(event)
  if (event.kind === 'reply') return `reply:${event.reply.type}`
  return event.kind === 'ignored' ? 'ignored' : `${event.kind}:${event.text}`
}

// biome-ignore format: a table
const keys: readonly (readonly [string, ...string[]])[] = [
  ['abc', 'text:abc'], ['héllo 漢字 👍🏽', 'text:héllo 漢字 👍🏽'],
  ['\r', 'enter'], ['\t', 'tab'], ['\n', 'ctrl+j'], ['\x7f', 'backspace'], ['\x08', 'backspace'], ['\x00', 'ctrl+space'],
  ['\x01', 'ctrl+a'], ['\x03', 'ctrl+c'], ['\x04', 'ctrl+d'], ['\x1a', 'ctrl+z'], ['\x1c', 'ctrl+\\'], ['\x1f', 'ctrl+_'],
  ['\x1b\r', 'alt+enter'], ['\x1b\x7f', 'alt+backspace'], ['\x1bb', 'alt+b'], ['\x1bB', 'alt+shift+b'], ['\x1b\x02', 'ctrl+alt+b'],
  ['\x1b漢', 'alt+漢'], ['\x1b😀x', 'alt+😀', 'text:x'], ['\x1b ', 'alt+space'], ['\x1b\x1b[A', 'alt+up'], ['\x1b\x1bx', 'escape', 'alt+x'],
  ['\x1b[A', 'up'], ['\x1b[B', 'down'], ['\x1b[C', 'right'], ['\x1b[D', 'left'], ['\x1b[H', 'home'], ['\x1b[F', 'end'],
  ['\x1bOA', 'up'], ['\x1bOH', 'home'], ['\x1bOP', 'f1'], ['\x1bOS', 'f4'], ['\x1bOM', 'enter'], ['\x1bOp', 'text:0'], ['\x1bOa', 'ctrl+up'],
  ['\x1b[1~', 'home'], ['\x1b[2~', 'insert'], ['\x1b[3~', 'delete'], ['\x1b[4~', 'end'], ['\x1b[5~', 'pageup'], ['\x1b[6~', 'pagedown'],
  ['\x1b[11~', 'f1'], ['\x1b[15~', 'f5'], ['\x1b[24~', 'f12'], ['\x1b[[A', 'f1'], ['\x1b[[E', 'f5'],
  ['\x1b[1;2A', 'shift+up'], ['\x1b[1;3C', 'alt+right'], ['\x1b[1;5D', 'ctrl+left'], ['\x1b[1;8H', 'ctrl+alt+shift+home'], ['\x1b[3;5~', 'ctrl+delete'],
  ['\x1b[1;2P', 'shift+f1'], ['\x1b[Z', 'shift+tab'], ['\x1b[a', 'shift+up'], ['\x1b[3^', 'ctrl+delete'],
  ['\x1b[27u', 'escape'], ['\x1b[13u', 'enter'], ['\x1b[13;2u', 'shift+enter'], ['\x1b[13;3u', 'alt+enter'], ['\x1b[13;5u', 'ctrl+enter'],
  ['\x1b[9;2u', 'shift+tab'], ['\x1b[127;5u', 'ctrl+backspace'], ['\x1b[32;5u', 'ctrl+space'], ['\x1b[32;2u', 'text: '],
  ['\x1b[99;5u', 'ctrl+c'], ['\x1b[97;3u', 'alt+a'], ['\x1b[97;6u', 'ctrl+shift+a'], ['\x1b[97:65;2u', 'text:A'], ['\x1b[97;2u', 'text:A'],
  ['\x1b[49:33;2u', 'text:!'], ['\x1b[45:95;6u', 'ctrl+shift+_'], ['\x1b[1089::99;5u', 'ctrl+c'], ['\x1b[97;;229u', 'text:å'], ['\x1b[233u', 'text:é'],
  ['\x1b[99;69u', 'ctrl+c'], ['\x1b[97;1:3u', 'ignored'], ['\x1b[97;1:2u', 'text:a'], ['\x1b[118;9u', 'ignored'], ['\x1b[57358u', 'ignored'],
  ['\x1b[57400u', 'text:1'], ['\x1b[57414u', 'enter'], ['\x1b[155u', 'ignored'], ['\x1b[7u', 'ignored'], ['\x1b[1;5:3A', 'ignored'],
  ['\x1b[27;2;13~', 'shift+enter'], ['\x1b[27;5;99~', 'ctrl+c'], ['\x1b[27;5;106~', 'ctrl+j'], ['\x1b[27;6;65~', 'ctrl+shift+a'], ['\x1b[27;2;65~', 'text:A'],
  ['\x1b[<0;3;4M', 'ignored'], ['\x1b[M abx', 'ignored', 'text:x'], ['\x1b[I', 'ignored'], ['\x1b[O', 'ignored'],
  ['\x1b[200~a\rb\x1b[A\x1b[201~c', 'paste:a\rb\x1b[A', 'text:c'], ['\x1b[200~\x1b[201~', 'paste:'], ['\x1b[201~', 'ignored'],
  ['\x1b\x1b[200~a\x1b[201~', 'escape', 'paste:a'],
  ['\x1b[?64;1;2c', 'reply:attributes'], ['\x1b[12;40R', 'reply:cursor'], ['\x1b[?5u', 'reply:kittyFlags'], ['\x1b[?2026;2$y', 'reply:mode'],
  ['\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\', 'reply:colour'], ['\x1b]10;rgb:ff/ff/ff\x07', 'reply:colour'], ['\x1b]52;c;aGk=\x07x', 'reply:other', 'text:x'],
  ['\x1bP>|xterm(390)\x1b\\', 'reply:other'], ['\x1b_Gi=1;OK\x1b\\', 'reply:other'], ['\x1b[>0;10;1c', 'reply:other'], ['\x1b[?997;1n', 'reply:other'], ['\x1b[4;600;800t', 'reply:other'],
  ['\x1b\x1b[?5u', 'escape', 'reply:kittyFlags'],
  ['\x1b[12\x1b[A', 'ignored', 'up'], ['\x1b]11;rgb\x1b[A', 'ignored', 'up'], ['\x1b[1é', 'ignored', 'text:é'], ['a\u009bb', 'text:a', 'ignored', 'text:b'],
]

describe('decode', () => {
  test.each(keys)('%j', (input, ...events) => {
    expect(decoded(input).map(brief)).toEqual(events)
  })

  test('replies carry their values', () => {
    const replies = decoded('\x1b[12;40R\x1b[?5u\x1b[?64;1c\x1b[?2026;2$y\x1b]11;rgb:0000/8080/ffff\x07')
    expect(replies.map((event) => (event.kind === 'reply' ? event.reply : null))).toEqual<Reply[]>([
      { type: 'cursor', row: 12, column: 40 },
      { type: 'kittyFlags', flags: 5 },
      { type: 'attributes', values: [64, 1] },
      { type: 'mode', mode: 2026, value: 2 },
      { type: 'colour', slot: 'background', rgb: [0, 128, 255] },
    ])
  })

  test('a sequence without an end does not swallow what is typed for ever', () => {
    const events = decoded(`\x1b[${'1'.repeat(300)}x`)
    expect(events[0]?.kind).toBe('ignored')
    expect(events.at(-1)?.kind).toBe('text')
  })
})

describe('flush', () => {
  const flushed = (input: string) => {
    const { decoder, events } = decode(idleDecoder, input)
    return [pendingOf(decoder), ...[...events, ...flush(decoder).events].map(brief)]
  }

  test.each([
    ['\x1b', 'sequence', 'escape'],
    ['\x1b\x1b', 'sequence', 'escape', 'escape'],
    ['\x1b[', 'sequence', 'alt+['],
    ['\x1bO', 'sequence', 'alt+shift+o'],
    ['\x1b]', 'sequence', 'alt+]'],
    ['\x1b[1;', 'sequence', 'ignored'],
    ['\x1b]11;rgb', 'string', 'ignored'],
    ['\x1b[200~half', 'paste', 'paste:half'],
    ['a', 'nothing', 'text:a'],
  ])('%j decides', (input, pending, ...events) => {
    expect(flushed(input)).toEqual([pending, ...events])
  })

  test('an incomplete character becomes a replacement character on flush', () => {
    const { decoder } = decode(idleDecoder, Uint8Array.of(0xe6, 0xbc))
    expect(flush(decoder).events).toEqual([{ kind: 'text', text: '\ufffd' }])
    expect(pendingOf(flush(decoder).decoder)).toBe('nothing')
  })
})

/** Texts that follow each other are one. */
function merged(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const list: KeyEvent[] = []
  for (const event of events) {
    const last = list.at(-1)
    if (last?.kind === 'text' && event.kind === 'text')
      list[list.length - 1] = { kind: 'text', text: last.text + event.text }
    else list.push(event)
  }
  return list
}

function decodedInParts<Input extends string | Uint8Array>(parts: readonly Input[]) {
  let decoder: Decoder = idleDecoder
  const events: KeyEvent[] = []
  for (const part of parts) {
    const result = decode(decoder, part)
    decoder = result.decoder
    events.push(...result.events)
  }
  return { events: merged(events), rest: flush(decoder).events }
}

const unit = fc.oneof(
  fc.constantFrom(...keys.map(([input]) => input)),
  fc.constantFrom(
    '\x1b',
    '[',
    ']',
    'O',
    ';',
    '5',
    '~',
    'u',
    '\x1b\\',
    '\x07',
    '\x1b[200~',
    '\x1b[201~',
    '\x1b[20',
    '\ud83d',
    '\u{1f468}',
  ),
  fc.string({ unit: codePoint, maxLength: 3 }),
)
const stream = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''))
const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 })

function cutAt<Input extends { length: number; slice(start: number, end?: number): Input }>(
  input: Input,
  places: readonly number[],
): Input[] {
  const sorted = [0, ...places.filter((place) => place < input.length).sort((left, right) => left - right)]
  return sorted.map((place, index) => input.slice(place, sorted[index + 1]))
}

describe('decode law', () => {
  test('text cut anywhere decodes to the same events as whole', () => {
    fc.assert(
      fc.property(stream, cuts, (input, places) => {
        expect(decodedInParts(cutAt(input, places))).toEqual(decodedInParts([input]))
      }),
      { numRuns: runsOf(1_000) },
    )
  })

  test('bytes cut anywhere decode to the same events as the text', () => {
    fc.assert(
      fc.property(stream, cuts, (input, places) => {
        const text = input.toWellFormed()
        const bytes = new TextEncoder().encode(text)
        expect(decodedInParts(cutAt(bytes, places))).toEqual(decodedInParts([text]))
      }),
      { numRuns: runsOf(1_000) },
    )
  })

  test('no event carries a control as text', () => {
    fc.assert(
      fc.property(stream, (input) => {
        for (const event of decoded(input)) {
          if (event.kind === 'text') expect(event.text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
        }
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})

test('any bytes, cut anywhere, decode as the platform decodes them', () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  const near = fc.array(
    fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xa0, 0x9f, 0xed, 0xef, 0xf0, 0x90, 0xf4, 0x8f, 0xf5),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        bytes,
        near.map((list) => Uint8Array.from(list)),
      ),
      fc.nat({ max: 40 }),
      (input, cut) => {
        let carried: PartialBytes = []
        let text = ''
        for (const part of [input.subarray(0, cut), input.subarray(cut)]) {
          const result = decodeUtf8(carried, part)
          text += result.text
          carried = result.carried
        }
        const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
        expect(text + (carried.length > 0 ? '\ufffd' : '')).toBe(expected)
      },
    ),
    { numRuns: runsOf(1_000) },
  )
})
