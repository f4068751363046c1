import { type KeyEvent, keyPress } from './key-event.ts'

/** Characters that arrived too close together to be typed. */
export interface Burst {
  readonly characters: number
  readonly lastAtMs: number
}

export const noBurst: Burst = { characters: 0, lastAtMs: Number.NEGATIVE_INFINITY }

const gapMs = 10
const minCharacters = 8

/**
 * Turns bursts into pastes, for terminals without bracketed paste: an Enter amid many characters within 10 ms of each
 * other does not send. `events` are of one read at `atMs` on a steady clock.
 */
export function gatherBurst(
  burst: Burst,
  events: readonly KeyEvent[],
  atMs: number,
): { burst: Burst; events: readonly KeyEvent[] } {
  const before = atMs - burst.lastAtMs <= gapMs ? burst.characters : 0
  const texts = events.map(burstText)
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), before)
  const next = { characters, lastAtMs: atMs }
  if (characters < minCharacters || !texts.some((text) => text === '\r' || text === '\n'))
    return { burst: next, events }
  return { burst: next, events: joined(events, texts) }
}

/** Time after raw mode was set during which earlier input still arrives. */
const typedBeforeMs = 50

/**
 * Splits off the Enter that ends input typed before raw mode; null without such an Enter. Earlier line ends may come from
 * a paste and stay breaks.
 */
export function enterTypedBefore(
  events: readonly KeyEvent[],
  rawForMs: number,
): { readonly events: readonly KeyEvent[]; readonly enter: KeyEvent | null } {
  const last = events.at(-1)
  const isLineEnd = last?.kind === 'key' && last.name === 'j' && last.ctrl && !last.alt && !last.shift
  if (!isLineEnd || rawForMs > typedBeforeMs) return { events, enter: null }
  return { events: events.slice(0, -1), enter: keyPress('enter') }
}

/** Joins runs of characters to pastes; other events stay between them. */
function joined(events: readonly KeyEvent[], texts: readonly (string | null)[]): readonly KeyEvent[] {
  const result: KeyEvent[] = []
  for (const [index, event] of events.entries()) {
    const text = texts[index] ?? null
    const last = result.at(-1)
    if (text === null) result.push(event)
    else if (last?.kind === 'paste') result[result.length - 1] = { kind: 'paste', text: last.text + text }
    else result.push({ kind: 'paste', text })
  }
  return result.map((event) =>
    event.kind === 'paste'
      ? { kind: 'paste', text: event.text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') }
      : event,
  )
}

/** Returns the event as pasted text; null if it cannot be. Enter stays CR so that CRLF is recognised. */
function burstText(event: KeyEvent): string | null {
  if (event.kind === 'text') return event.text
  if (event.kind !== 'key' || event.alt || event.shift) return null
  if (event.name === 'j' && event.ctrl) return '\n'
  if (event.ctrl) return null
  if (event.name === 'enter') return '\r'
  return event.name === 'tab' ? '\t' : null
}
