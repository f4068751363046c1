import type { RunLimits } from '@parley/protocol'
import { type Facts, kindOf } from './facts.ts'

/**
 * Yes for the session, as plain data. `exactly` covers calls that are shown with the same text; `alike` covers calls of
 * a kind with only granted marks.
 */
export type Grant =
  | { readonly kind: 'exactly'; readonly shown: string }
  | { readonly kind: 'alike'; readonly of: Facts['kind']; readonly marks: readonly string[] }

/** Answer for the session, with words about the calls that it covers. */
export interface SessionYes {
  readonly words: string
  readonly grant: Grant
}

/** Call that an answer for the session is about, with the limits that the question shows. */
interface ShownCall {
  readonly facts: Facts
  readonly limits: RunLimits
}

/**
 * Returns the answers for the session that may be offered, the narrowest first. Calls that are asked about each time,
 * such as destructive commands and changes of protected files, have no such answer.
 */
export function sessionAnswers({ facts, limits }: ShownCall): readonly SessionYes[] {
  const kind = kindOf(facts)
  const exactly = kind.exactly?.(facts) ?? null
  const alike = kind.alike?.(facts) ?? null
  return [
    ...(exactly === null
      ? []
      : [{ words: exactly, grant: { kind: 'exactly', shown: shownText({ facts, limits }) } as const }]),
    ...(alike === null
      ? []
      : [{ words: alike.words, grant: { kind: 'alike', of: facts.kind, marks: alike.marks } as const }]),
  ]
}

/** Returns whether a call still shares with alike calls everything that it shared when it was shown. */
export function isStillAlike(shown: Facts, now: Facts): boolean {
  return JSON.stringify(kindOf(shown).alike?.(shown)) === JSON.stringify(kindOf(now).alike?.(now))
}

/** Returns whether an answer that was given covers a call. */
export function isGranted(given: readonly Grant[], call: ShownCall): boolean {
  return given.length > 0 && sessionAnswers(call).some(({ grant }) => given.some((granted) => covers(granted, grant)))
}

function covers(granted: Grant, asked: Grant): boolean {
  if (granted.kind === 'exactly') return asked.kind === 'exactly' && granted.shown === asked.shown
  return asked.kind === 'alike' && granted.of === asked.of && asked.marks.every((mark) => granted.marks.includes(mark))
}

/** Returns all that is shown of a call and its run as one text: facts are all that policy may know of it. */
function shownText({ facts, limits }: ShownCall): string {
  return JSON.stringify([limits.sandbox, limits.network, facts])
}
