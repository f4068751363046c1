import { controlKey, type KeyEvent, keyPress, printable } from './key-event.ts'
import { readSequence, type Sequence } from './sequence.ts'
import { csiEvent, ss3Event, stringReply } from './sequence-event.ts'

/** Input that is not yet decoded. Immutable. */
export interface Decoder {
  readonly bytes: PartialBytes
  readonly pending: string
  /** Text of an unfinished paste. */
  readonly paste: string | null
}

export const idleDecoder: Decoder = { bytes: [], pending: '', paste: null }

interface Decoded {
  readonly decoder: Decoder
  readonly events: readonly KeyEvent[]
}

/** Kind of input the decoder waits for; the caller flushes after `flushAfterMs`. */
type Pending = 'nothing' | 'sequence' | 'string' | 'paste'

/** Waiting times: Escape must react at once, a reply or a paste may cross a slow link. */
export const flushAfterMs: Readonly<Record<Exclude<Pending, 'nothing'>, number>> = {
  sequence: 50,
  string: 1_000,
  paste: 1_000,
}

const pasteBegins = '200'
const pasteEnd = '\x1b[201~'

/** Decodes input of the terminal, which may be cut anywhere. */
export function decode(decoder: Decoder, input: string | Uint8Array): Decoded {
  const { text, carried } =
    typeof input === 'string' ? { text: input, carried: decoder.bytes } : decodeUtf8(decoder.bytes, input)
  const events: KeyEvent[] = []
  let rest = { pending: decoder.pending + text, paste: decoder.paste }
  let before: string
  do {
    before = rest.pending
    rest = rest.paste === null ? decodeKeys(rest.pending, events) : decodePaste(rest.paste, rest.pending, events)
  } while (rest.pending !== '' && rest.pending !== before)
  return { decoder: { bytes: carried, ...rest }, events }
}

export function pendingOf({ bytes, pending, paste }: Decoder): Pending {
  if (paste !== null) return 'paste'
  if (/^\x1b[\]P_^X]./s.test(pending)) return 'string'
  return pending === '' && bytes.length === 0 ? 'nothing' : 'sequence'
}

/** Decodes the pending input as complete: a lone Escape is the key, an unfinished paste ends. */
export function flush(decoder: Decoder): Decoded {
  if (decoder.paste !== null) {
    return { decoder: idleDecoder, events: [{ kind: 'paste', text: decoder.paste + decoder.pending }] }
  }
  const lost: readonly KeyEvent[] = decoder.bytes.length > 0 ? [{ kind: 'text', text: '\ufffd' }] : []
  return { decoder: idleDecoder, events: [...flushed(decoder.pending), ...lost] }
}

function flushed(pending: string): readonly KeyEvent[] {
  if (pending === '') return []
  if (pending === '\x1b') return [keyPress('escape')]
  if (pending.startsWith('\x1b\x1b')) return [keyPress('escape'), ...flushed(pending.slice(1))]
  const [, character = '', ...others] = pending
  if (others.length === 0 && pending.startsWith('\x1b'))
    return [printable(character, { ctrl: false, alt: true, shift: false })]
  return [{ kind: 'ignored', sequence: pending }]
}

interface Rest {
  readonly pending: string
  readonly paste: string | null
}

/** Decodes keys until the input ends or a paste begins. */
function decodeKeys(input: string, events: KeyEvent[]): Rest {
  let at = 0
  while (at < input.length) {
    const sequence = readSequence(input, at)
    if (sequence.kind === 'incomplete') break
    if (isPasteBegin(sequence)) {
      return { pending: input.slice(sequence.end), paste: '' }
    }
    if (sequence.kind !== 'escaped') {
      events.push(sequenceEvent(sequence, input.slice(at, sequence.end)))
      at = sequence.end
      continue
    }
    const end = decodeEscaped(input, sequence.end, events)
    if (end === null) break
    at = end
  }
  return { pending: input.slice(at), paste: null }
}

function isPasteBegin(sequence: Sequence): sequence is Sequence & { kind: 'csi' } {
  return sequence.kind === 'csi' && sequence.parameters === pasteBegins && sequence.final === '~'
}

/** Decodes Escape with the next unit as Alt and that key; a second Escape is the key, or begins a sequence. */
function decodeEscaped(input: string, at: number, events: KeyEvent[]): number | null {
  const next = readSequence(input, at)
  if (next.kind === 'incomplete') return null
  if (next.kind === 'escaped' || next.kind === 'string' || next.kind === 'broken' || isPasteBegin(next)) {
    events.push(keyPress('escape'))
    return at
  }
  if (next.kind === 'text') {
    const character = String.fromCodePoint(next.text.codePointAt(0) ?? 0)
    events.push(printable(character, { ctrl: false, alt: true, shift: false }))
    return at + character.length
  }
  const event = sequenceEvent(next, input.slice(at, next.end))
  events.push(...(event.kind === 'key' ? [{ ...event, alt: true }] : [keyPress('escape'), event]))
  return next.end
}

function sequenceEvent(sequence: Exclude<Sequence, { kind: 'incomplete' | 'escaped' }>, raw: string): KeyEvent {
  switch (sequence.kind) {
    case 'text':
      return { kind: 'text', text: sequence.text }
    case 'control':
      return controlKey(sequence.code)
    case 'csi':
      return csiEvent(sequence.parameters, sequence.final)
    case 'ss3':
      return ss3Event(sequence.parameters, sequence.final)
    case 'string':
      return stringReply(sequence.introducer, sequence.body)
    case 'broken':
      return { kind: 'ignored', sequence: raw }
  }
}

/** Reads paste text up to the closing bracket; a bracket cut in two stays pending. */
function decodePaste(paste: string, input: string, events: KeyEvent[]): Rest {
  const end = input.indexOf(pasteEnd)
  if (end !== -1) {
    events.push({ kind: 'paste', text: paste + input.slice(0, end) })
    return { pending: input.slice(end + pasteEnd.length), paste: null }
  }
  let held = Math.min(pasteEnd.length - 1, input.length)
  while (!pasteEnd.startsWith(input.slice(input.length - held))) held -= 1
  return { pending: input.slice(input.length - held), paste: paste + input.slice(0, input.length - held) }
}

const replacement = 0xfffd

/** Bytes of an incomplete character. */
export type PartialBytes = readonly number[]

/** Decodes UTF-8 in chunks; wrong bytes become U+FFFD. Pure folders have no TextDecoder. */
export function decodeUtf8(carried: PartialBytes, chunk: Uint8Array): { text: string; carried: PartialBytes } {
  const bytes = carried.length === 0 ? chunk : Uint8Array.from([...carried, ...chunk])
  let text = ''
  let offset = 0
  while (offset < bytes.length) {
    const { codePoint, length } = decodeAt(bytes, offset)
    if (codePoint === null) return { text, carried: [...bytes.subarray(offset)] }
    text += String.fromCodePoint(codePoint)
    offset += length
  }
  return { text, carried: [] }
}

/** Decodes one character; a null code point means that the bytes end within it. */
function decodeAt(bytes: Uint8Array, offset: number): { codePoint: number | null; length: number } {
  const first = bytes[offset] ?? 0
  if (first < 0x80) return { codePoint: first, length: 1 }
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return { codePoint: replacement, length: 1 }
  let codePoint = first & (0x7f >> size)
  for (let index = 1; index < size; index++) {
    const byte = bytes[offset + index]
    if (byte === undefined) return { codePoint: null, length: index }
    if (!continues(first, index, byte)) return { codePoint: replacement, length: index }
    codePoint = (codePoint << 6) | (byte & 0x3f)
  }
  return { codePoint, length: size }
}

/** Returns true for a valid continuation byte; overlong forms, surrogates and values beyond Unicode are invalid. */
function continues(first: number, index: number, byte: number): boolean {
  if ((byte & 0xc0) !== 0x80) return false
  if (index > 1) return true
  if (first === 0xe0) return byte >= 0xa0
  if (first === 0xed) return byte < 0xa0
  if (first === 0xf0) return byte >= 0x90
  return first !== 0xf4 || byte < 0x90
}
