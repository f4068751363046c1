import { controlKey, printable } from './character-key.ts'
import { csiEvent, ss3Event } from './csi.ts'
import { type KeyEvent, keyPress } from './key-event.ts'
import { stringReply } from './reply.ts'
import { readSequence, type Sequence } from './sequence.ts'
import { decodeUtf8, type PartialBytes } from './utf8.ts'

/** Input that is not yet decoded. Immutable. */
export interface Decoder {
  readonly bytes: PartialBytes
  readonly pending: string
  /** Text of an unfinished paste. */
  readonly paste: string | null
}

export const idleDecoder: Decoder = { bytes: [], pending: '', paste: null }

export interface Decoded {
  readonly decoder: Decoder
  readonly events: readonly KeyEvent[]
}

/** Kind of input the decoder waits for; the caller flushes after `flushAfterMs`. */
export type Pending = 'nothing' | 'sequence' | 'string' | 'paste'

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

/**
 * Decodes Escape with the next unit as Alt and that key. A second Escape is the key itself, unless it begins a
 * sequence.
 */
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
