import type { FoundPart } from '@parley/protocol'
import type { CaretText } from './at-word.ts'

/** Skill or command that completes the text. */
export interface NamedPart {
  readonly name: string
  /** `/name`, or `$name` within a message. */
  readonly written: string
  readonly argument: string
  readonly about: string
  /** Range of the text that it replaces. */
  readonly start: number
  readonly end: number
}

/** Returns the skills and commands that a person may start by name. */
function offeredParts(parts: readonly FoundPart[]): readonly FoundPart[] {
  return parts.filter(({ state, forUser }) => state === 'ready' && forUser)
}

/** Tests if a text begins with the name of a skill or command, `/name`, so that it is a message. */
export function namesPart(text: string, parts: readonly FoundPart[] | null): boolean {
  const word = /^\/([\w-]+)(?:\s|$)/.exec(text)?.[1]
  return word !== undefined && parts !== null && offeredParts(parts).some(({ name }) => name === word)
}

/** Returns what completes the `/name` that a text consists of, or the `$name` before the caret. */
export function partsAt({ text, caret }: CaretText, parts: readonly FoundPart[] | null): readonly NamedPart[] {
  if (parts === null) return []
  const typed = /^\/([\w-]*)$/.exec(text)?.[1]
  if (typed !== undefined) return named(parts, { mark: '/', typed, start: 0, end: text.length })
  const skill = /(?:^|[\s(])\$([a-z0-9-]*)$/.exec(text.slice(0, caret))?.[1]
  if (skill === undefined || text.startsWith('!')) return []
  const skills = parts.filter(({ kind }) => kind === 'skill')
  return named(skills, { mark: '$', typed: skill, start: caret - skill.length - 1, end: caret })
}

interface Begun extends Pick<NamedPart, 'start' | 'end'> {
  readonly mark: '/' | '$'
  readonly typed: string
}

function named(parts: readonly FoundPart[], { mark, typed, start, end }: Begun): readonly NamedPart[] {
  const begun = offeredParts(parts).filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
  return begun.map(({ name, description, argumentHint = '' }) => ({
    name,
    written: `${mark}${name}`,
    argument: mark === '/' ? argumentHint : '',
    about: description,
    start,
    end,
  }))
}
