/** Unit of terminal input from an offset on; `end` is the start of the next. */
export type Sequence =
  | { readonly kind: 'text'; readonly text: string; readonly end: number }
  | { readonly kind: 'control'; readonly code: number; readonly end: number }
  | { readonly kind: 'csi'; readonly parameters: string; readonly final: string; readonly end: number }
  | { readonly kind: 'ss3'; readonly parameters: string; readonly final: string; readonly end: number }
  | { readonly kind: 'string'; readonly introducer: string; readonly body: string; readonly end: number }
  /** Escape before another unit: Alt, or the Escape key. */
  | { readonly kind: 'escaped'; readonly end: number }
  | { readonly kind: 'broken'; readonly end: number }
  | { readonly kind: 'incomplete' }

const incomplete: Sequence = { kind: 'incomplete' }

/** Longest sequence; the limit keeps a missing end from consuming later input. */
const maxSequence = 256
const maxString = 65_536

const escapeCharacter = '\x1b'

export function readSequence(input: string, at: number): Sequence {
  const code = input.charCodeAt(at)
  if (code === 0x1b) return readEscape(input, at)
  if (isControl(code)) return { kind: 'control', code, end: at + 1 }
  return readText(input, at)
}

/** Returns true for C0, DEL and C1, which are never text. */
export function isControl(codePoint: number): boolean {
  return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)
}

function readText(input: string, at: number): Sequence {
  let end = at
  while (end < input.length && !isControl(input.charCodeAt(end))) end += 1
  const half = end === input.length && isHighSurrogate(input.charCodeAt(end - 1))
  if (half) end -= 1
  return end === at ? incomplete : { kind: 'text', text: input.slice(at, end), end }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function readEscape(input: string, at: number): Sequence {
  const introducer = input[at + 1]
  if (introducer === undefined) return incomplete
  if (introducer === '[') return readCsi(input, at)
  if (introducer === 'O') return readSs3(input, at)
  if (']P_^X'.includes(introducer)) return readString(input, at, introducer)
  return { kind: 'escaped', end: at + 1 }
}

function readCsi(input: string, at: number): Sequence {
  const limit = Math.min(input.length, at + maxSequence)
  const start = at + 2
  if (input[start] === 'M') return input.length < start + 4 ? incomplete : { kind: 'broken', end: start + 4 }
  if (input[start] === '[') return readLinuxKey(input, start)
  for (let end = start; end < limit; end++) {
    const code = input.charCodeAt(end)
    if (code >= 0x40 && code <= 0x7e) {
      return { kind: 'csi', parameters: input.slice(start, end), final: input.charAt(end), end: end + 1 }
    }
    if (code < 0x20 || code > 0x7e) return { kind: 'broken', end }
  }
  return limit < at + maxSequence ? incomplete : { kind: 'broken', end: limit }
}

/** Reads F1 to F5 of the Linux console: `ESC [ [ A` to `E`. */
function readLinuxKey(input: string, start: number): Sequence {
  const final = input[start + 1]
  if (final === undefined) return incomplete
  const key = 'ABCDE'.indexOf(final)
  if (key === -1) return { kind: 'broken', end: start + 1 }
  return { kind: 'csi', parameters: String(11 + key), final: '~', end: start + 2 }
}

function readSs3(input: string, at: number): Sequence {
  let end = at + 2
  while (end < input.length && end < at + 8 && /[\d;]/.test(input.charAt(end))) end += 1
  if (end === input.length) return incomplete
  const final = input.charAt(end)
  if (!/[A-Za-z]/.test(final)) return { kind: 'broken', end }
  return { kind: 'ss3', parameters: input.slice(at + 2, end), final, end: end + 1 }
}

/** Reads a string up to ST, or BEL for an OSC; another escape ends it early. */
function readString(input: string, at: number, introducer: string): Sequence {
  const limit = Math.min(input.length, at + maxString)
  for (let end = at + 2; end < limit; end++) {
    const character = input.charAt(end)
    const body = () => input.slice(at + 2, end)
    if (character === '\x07' && introducer === ']') return { kind: 'string', introducer, body: body(), end: end + 1 }
    if (character !== escapeCharacter) continue
    if (end + 1 === input.length) return incomplete
    return input[end + 1] === '\\'
      ? { kind: 'string', introducer, body: body(), end: end + 2 }
      : { kind: 'broken', end }
  }
  return limit < at + maxString ? incomplete : { kind: 'broken', end: limit }
}
