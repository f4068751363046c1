import type { Facts, PlaceRead } from './facts.ts'
import { matchesMcpPattern } from './mcp-pattern.ts'
import { matchesPathPattern, mayMatchBelow } from './path-pattern.ts'
import { absoluteFrom, baseName } from './path-text.ts'
import { fitsCommand, type Rule, type Rules } from './rules.ts'

/**
 * The first rule of this verdict that fits any part of the call. Strict rules reach far: commands inside wrappers
 * and nested scripts, a program named by its path, a file by its real path or by the one the model wrote.
 */
export function matchStrict(verdict: 'ask' | 'deny', rules: Rules, facts: Facts): Rule | null {
  const strict = rules.filter((rule) => rule.decision === verdict)
  if (strict.length === 0) return null
  // Once for all rules: a long script has hundreds of commands.
  const commands = facts.kind === 'command' ? commandsOf(facts) : []
  return strict.find((rule) => fitsAnywhere(rule, facts, commands)) ?? null
}

/** The first strict rule about paths that may lie below a folder the call reads as a whole. */
export function matchBelow(rules: Rules, facts: Facts): Rule | null {
  const folders = placesRead(facts).filter((place) => place.recursive)
  const reaches = ({ decision, target }: Rule) =>
    decision !== 'allow' &&
    target.kind === 'path' &&
    folders.some((folder) => textsOf(folder, facts).some((text) => mayMatchBelow(target.pattern, text, cwdOf(facts))))
  return rules.find(reaches) ?? null
}

type Words = readonly (string | null)[]

function fitsAnywhere({ target }: Rule, facts: Facts, commands: readonly Words[]): boolean {
  switch (target.kind) {
    case 'tool':
      return target.tool === facts.tool
    case 'command':
      return commands.some((argv) => fitsCommand(target, argv))
    case 'mcp':
      return facts.kind === 'mcp' && matchesMcpPattern(target.pattern, facts)
    case 'path':
      return fitsAnyPlace(target.pattern, facts)
  }
}

function commandsOf(facts: Extract<Facts, { kind: 'command' }>): readonly Words[] {
  const written = [facts.argv, ...facts.parts.map((part) => part.argv), ...facts.seen]
  const bare = written.map(([program, ...rest]) => [baseName(program ?? ''), ...rest])
  return [...written, ...bare]
}

function fitsAnyPlace(pattern: string, facts: Facts): boolean {
  const places = facts.kind === 'patch' ? facts.files : placesRead(facts)
  return places.some((place) => textsOf(place, facts).some((text) => matchesPathPattern(pattern, text, cwdOf(facts))))
}

function placesRead(facts: Facts): readonly PlaceRead[] {
  if (facts.kind === 'read') return facts.paths
  return facts.kind === 'command' ? facts.reads : []
}

function textsOf({ path, real }: { path: string; real: string }, facts: Facts): string[] {
  return [real, absoluteFrom(cwdOf(facts), path)]
}

function cwdOf(facts: Facts): string {
  if (facts.kind === 'other' || facts.kind === 'mcp') return '/'
  return facts.kind === 'command' ? facts.workspace : facts.cwd
}
